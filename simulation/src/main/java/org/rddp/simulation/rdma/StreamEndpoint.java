package org.rddp.simulation.rdma;

import org.rddp.ddp.memory.AccessRights;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.UndetectedCorruption;
import org.rddp.simulation.memory.Layout;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;
import org.rddp.tcp.CloseReason;

/**
 * One end of a connection: its stream from the beginning to the end, and all that belongs to it.
 */
final class StreamEndpoint implements RdmapHandler {
  private static final byte[] NONE = {};
  private static final int CHECK_EVERY = 16;

  private final HostPair world;
  private final RdmapHost machine;
  private final RdmapSettings settings;
  private final boolean initiator;
  private final RdmapTerms terms;
  private final MemoryModel memory;
  private final RdmapEventCounts counts;
  private final Layout layout;
  private final MessageQueue out;
  private final MessageQueue in;
  private final Errors errors;
  private final UndetectedCorruption noise;
  private final Posts posts;
  private final OutstandingRdmapRequests outstanding;
  private final RdmapProgram program;
  private StreamEndpoint peer;
  private RdmapStream stream;
  private Tags tags;
  private ModelStag sinkTag;
  private boolean established;
  private boolean rejected;
  private boolean closing;
  private boolean peerClosed;
  private boolean aborted;
  private boolean dead;
  private CloseReason closed;
  private int turns;

  StreamEndpoint(
      HostPair world,
      RdmapHost machine,
      RdmapTerms terms,
      boolean initiator,
      Slab slab,
      SourceOctets octets,
      RdmapEventCounts counts,
      MessageQueue out,
      MessageQueue in,
      RdmapPlan plan,
      UndetectedCorruption noise) {
    this.world = world;
    this.noise = noise;
    this.machine = machine;
    this.terms = terms;
    this.initiator = initiator;
    this.counts = counts;
    this.out = out;
    this.in = in;
    settings = terms.of(initiator);
    layout = Layout.draw(world.random(), world.settings());
    byte[] start = new byte[layout.size()];
    world.random().nextBytes(start);
    memory = new MemoryModel(world.violations(), name(), slab.take(layout.size()), start);
    in.sink(memory);
    errors = new Errors(this);
    outstanding = new OutstandingRdmapRequests(this);
    posts = new Posts(this, layout, octets, world.random().split());
    program = new RdmapProgram(this, layout, world.random().split(), plan);
    machine.add(this);
  }

  /** Knows the other end. */
  void peer(StreamEndpoint other) {
    peer = other;
  }

  /** Its stream begins. */
  RdmapStream begin() {
    stream =
        initiator
            ? RdmapStream.initiator(machine.ddp(), machine.domain(), settings, NONE, this)
            : RdmapStream.responder(machine.ddp(), machine.domain(), settings, this);
    tags = new Tags(machine, stream.ddp(), memory, world.random().split(), counts);
    nameSink();
    program.begin();
    return stream;
  }

  private void nameSink() {
    sinkTag = tags.register(layout.sink(), AccessRights.LOCAL_WRITE, false);
  }

  String name() {
    return initiator ? "the Initiator" : "the Responder";
  }

  /** What it does in a turn of the duty cycle. */
  void act() {
    if (stream != null && !dead && closed == null) {
      program.act();
    }
  }

  /** What must hold between two turns of its host. */
  void check() {
    if (dead || stream == null) {
      return;
    }
    verify(!outstanding.flushed() || over(), "requests were flushed without a reason");
    if (++turns % CHECK_EVERY == 0 || errors.watchful()) {
      memory.check("between two turns");
    }
  }

  // What RDMAP says.

  @Override
  public void onRequest(byte[] privateData) {
    alive("a Request");
    if (terms.decisionTime() == 0) {
      decide(0);
    } else {
      world.network().events().schedule(now() + terms.decisionTime(), this::decide, 0);
    }
  }

  private void decide(long ignored) {
    if (dead || closed != null || aborted) {
      return;
    }
    if (terms.rejects()) {
      rejected = true;
      counts.add(RdmapEvent.REJECTED);
      stream.reject(NONE);
      close();
    } else {
      program.prepare();
      stream.accept(NONE);
    }
    poke();
  }

  @Override
  public void onEstablished(byte[] privateData) {
    alive("the stream's beginning");
    verify(!established && !terms.rejects(), "the stream began unasked");
    established = true;
    program.established();
  }

  @Override
  public void onRejected(byte[] privateData) {
    alive("a refusal");
    verify(terms.rejects(), "declined by nobody");
    rejected = true;
    close();
  }

  @Override
  public void onReceiveMissing() {
    program.receiveMissing();
  }

  @Override
  public void onCompletion(long id, int kind, int status, long octets) {
    alive("a completion");
    outstanding.ended(id, kind, status, octets);
  }

  @Override
  public void onReceived(long id, long octets, boolean solicited, int invalidated) {
    alive("a message");
    outstanding.received(id, octets, solicited, invalidated);
  }

  @Override
  public void onImmediate(long id, long data, boolean solicited) {
    alive("a message");
    outstanding.immediate(id, data, solicited);
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    alive("an error");
    if (world.isTraced()) {
      world.trace(name() + ": error " + new ErrorNumber(layer, type, code) + ", " + detail);
    }
    verify(outstanding.isEmpty(), "an error, and not everything was flushed");
    errors.reported(new ErrorNumber(layer, type, code), detail);
    memory.freeze("the stream has failed");
    peer.poke();
  }

  @Override
  public void onPeerClosed() {
    verify(!peerClosed && closed == null, "the peer closed twice, or after the end");
    peerClosed = true;
    if (errors.number() == null) {
      memory.peerClosed();
    }
    poke();
  }

  @Override
  public void onClosed(CloseReason reason) {
    verify(closed == null, "closed twice");
    verify(outstanding.isEmpty(), "the end, and not everything was flushed");
    closed = reason;
    errors.closed(reason);
    memory.freeze("the connection is gone");
    peer.poke();
  }

  // What its program asks for.

  /** Closes its half. */
  void close() {
    if (world.isTraced()) {
      world.trace(name() + " closes");
    }
    closing = true;
    stream.close();
    poke();
    peer.poke();
  }

  /** Ends the connection with a reset, or does not wait for one any longer. */
  void abort() {
    aborted = true;
    if (stream == null) {
      closed = CloseReason.ABORTED;
      return;
    }
    stream.abort();
    verify(outstanding.isEmpty(), "aborted, and not everything was flushed");
    memory.freeze("it was aborted");
    poke();
  }

  /** A range that reads go to is taken away under them; another one takes its place. */
  void revokeSink() {
    tags.revoke(sinkTag);
    nameSink();
  }

  /** Its host has lost power: it does nothing any more. */
  void die() {
    if (!dead) {
      dead = true;
      memory.freeze("power has failed");
    }
  }

  void poke() {
    machine.host().scheduleTurn();
  }

  private void alive(String what) {
    verify(closed == null && errors.number() == null && !dead, what + " after the end or an error");
  }

  void verify(boolean holds, String what) {
    if (!holds) {
      world.violations().add(name() + ": " + what);
    }
  }

  // What it is.

  long now() {
    return world.network().now();
  }

  HostPair world() {
    return world;
  }

  StreamEndpoint peer() {
    return peer;
  }

  RdmapStream stream() {
    return stream;
  }

  RdmapSettings settings() {
    return settings;
  }

  RdmapTerms terms() {
    return terms;
  }

  boolean initiator() {
    return initiator;
  }

  RdmapHost machine() {
    return machine;
  }

  MemoryModel memory() {
    return memory;
  }

  Tags tags() {
    return tags;
  }

  ModelStag sinkTag() {
    return sinkTag;
  }

  Posts posts() {
    return posts;
  }

  OutstandingRdmapRequests outstanding() {
    return outstanding;
  }

  RdmapProgram program() {
    return program;
  }

  RdmapEventCounts counts() {
    return counts;
  }

  UndetectedCorruption noise() {
    return noise;
  }

  Errors errors() {
    return errors;
  }

  MessageQueue out() {
    return out;
  }

  MessageQueue in() {
    return in;
  }

  boolean established() {
    return established;
  }

  boolean closing() {
    return closing;
  }

  boolean hasPeerClosed() {
    return peerClosed;
  }

  boolean aborted() {
    return aborted;
  }

  boolean dead() {
    return dead;
  }

  CloseReason reason() {
    return closed;
  }

  /** Whether requests may end as flushed. */
  boolean over() {
    return errors.number() != null
        || closing
        || peerClosed
        || aborted
        || rejected
        || closed != null;
  }

  /** Whether nothing more is to be expected of it. */
  boolean done() {
    return dead || closed != null;
  }

  /** Whether it may still post. */
  boolean usable() {
    return stream != null && !done() && !closing && !aborted && errors.number() == null;
  }

  /** Whether it is gone otherwise than by closing. */
  boolean lost() {
    return dead || aborted || closed == CloseReason.TIMEOUT || errors.lost();
  }

  /** Grows whenever it gets on. */
  long progress() {
    return outstanding.completed()
        + (peerClosed ? 1 : 0)
        + (done() ? 1 : 0)
        + (established ? 1 : 0);
  }

  /** Every name that is left is taken away. */
  void tidy() {
    if (stream != null && !dead) {
      tags.revokeAll();
      memory.check("it is over");
    }
  }

  /** What must hold when both ends are done. */
  void judge() {
    if (dead || stream == null) {
      return;
    }
    memory.check("it is over");
    errors.judge();
    if (lost() || peer.lost()) {
      return;
    }
    verify(closed == CloseReason.NORMAL, "the connection ended as " + closed);
    boolean failed = errors.number() != null || peer.errors.number() != null;
    if (!failed && !rejected) {
      verify(established, "the stream never began");
      verify(in.complete(), "messages are missing: " + in);
    }
  }

  @Override
  public String toString() {
    return String.format(
        "%s: %d completions, %s (%d without a receive)%s%s, %s",
        name(),
        outstanding.completed(),
        in,
        in.lacking(),
        errors.number() == null ? "" : ", error " + errors.number(),
        closing ? ", closing" : "",
        closed == null ? "open" : closed);
  }
}
