package org.rddp.simulation.rdma;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.rddp.ddp.AccessRights;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.CompletionStatus;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.simulation.World;
import org.rddp.tcp.CloseReason;

/**
 * One end of a connection: holds what RDMAP says to what was posted, at both ends, and tells the
 * models of both memories what is known by it.
 */
final class Endpoint implements RdmapHandler {
  private static final byte[] NONE = {};
  private static final int CHECK_EVERY = 16;

  private final World world;
  private final Machine machine;
  private final RdmapSettings settings;
  private final boolean initiator;
  private final Terms terms;
  private final MemoryModel memory;
  private final Counts counts;
  private final Layout layout;
  private final MessageQueue out;
  private final MessageQueue in;
  private final Deque<Request> requests = new ArrayDeque<>();
  private final Deque<Receive> receives = new ArrayDeque<>();
  private final Errors errors;
  private final Noise noise;
  private final Posts posts;
  private final Program program;
  private Endpoint peer;
  private RdmapStream stream;
  private Tags tags;
  private Tag sinkTag;
  private Request posting;
  private boolean established;
  private boolean rejected;
  private boolean closing;
  private boolean peerClosed;
  private boolean aborted;
  private boolean dead;
  private boolean flushed;
  private CloseReason closed;
  private long completed;
  private int turns;

  Endpoint(
      World world,
      Machine machine,
      Terms terms,
      boolean initiator,
      Slab slab,
      SourceOctets octets,
      Counts counts,
      MessageQueue out,
      MessageQueue in,
      Plan plan,
      Noise noise) {
    this.world = world;
    this.noise = noise;
    this.machine = machine;
    this.terms = terms;
    this.initiator = initiator;
    this.counts = counts;
    this.out = out;
    this.in = in;
    settings = terms.of(initiator);
    layout = Layout.draw(world.random(), world.lots());
    byte[] start = new byte[layout.size()];
    world.random().nextBytes(start);
    memory = new MemoryModel(world.verdict(), name(), slab.take(layout.size()), start);
    in.sink(memory);
    errors = new Errors(this);
    posts = new Posts(this, layout, octets, world.random().split());
    program = new Program(this, layout, world.random().split(), plan);
    machine.add(this);
  }

  /** Knows the other end. */
  void peer(Endpoint other) {
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
    verify(!flushed || over(), "requests were flushed without a reason");
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
      world.network().agenda().at(now() + terms.decisionTime(), this::decide, 0);
    }
  }

  private void decide(long ignored) {
    if (dead || closed != null || aborted) {
      return;
    }
    if (terms.rejects()) {
      rejected = true;
      counts.add(Happening.REJECTED);
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
    completed++;
    if (kind == CompletionKind.RECEIVE) {
      receiveFlushed(id, status);
      return;
    }
    Request request = posting != null && posting.id() == id ? takePosting() : requests.poll();
    if (request == null || request.id() != id || request.kind() != kind) {
      world.verdict().violated(name() + ": a completion that is not the next one's");
      return;
    }
    if (world.traced()) {
      world.say(name() + ": request " + request.number() + " ends with status " + status);
    }
    if (status == CompletionStatus.SUCCESS) {
      succeeded(request, octets);
    } else {
      failed(request, status);
    }
    posts.giveBack(request);
    program.completed();
  }

  /** It has ended within its post. */
  private Request takePosting() {
    Request request = posting;
    posting = null;
    request.endAtOnce();
    requests.remove(request);
    return request;
  }

  private void succeeded(Request request, long octets) {
    verify(!request.endedAtOnce(), "a request has ended well within its post");
    verify(octets == request.length(), "a completion names " + octets + " octets");
    verify(!request.refusedHere(), "a read into memory that is not there has ended well");
    boolean asked =
        request.kind() == CompletionKind.READ || request.kind() == CompletionKind.ATOMIC;
    if (asked) {
      verify(request.fault() == null, "answered: " + request.fault());
      // The answer to an atomic says that it is done.
      boolean atomic = request.kind() == CompletionKind.ATOMIC;
      peer.memory.allDone(request.number() + (atomic ? 1 : 0), "a request behind it is answered");
      memory.done(request.answers(), "it is the answer to a read or an atomic");
      peer.memory.forget(request.reader());
    }
  }

  private void failed(Request request, int status) {
    if (status == CompletionStatus.LOCAL_PROTECTION_ERROR) {
      verify(request.refusedHere(), "a read was refused where it was posted");
      counts.add(Happening.REFUSED_HERE);
    } else {
      verify(status == CompletionStatus.FLUSHED, "a request ended with status " + status);
      counts.add(Happening.FLUSHED);
      flushed = true;
      memory.check("requests are flushed");
      if (request.written() != null) {
        request.written().abandon();
      }
    }
    memory.end(request.answers());
  }

  private void receiveFlushed(long id, int status) {
    Receive receive = nextReceive(id);
    verify(status == CompletionStatus.FLUSHED, "a receive ended with status " + status);
    counts.add(Happening.FLUSHED);
    flushed = true;
    if (receive != null) {
      memory.check("receives are flushed");
      memory.end(receive.targets());
      program.giveBack(receive);
    }
  }

  private Receive nextReceive(long id) {
    Receive receive = receives.poll();
    if (receive == null || receive.id() != id) {
      world.verdict().violated(name() + ": a completion that is not the next receive's");
      return null;
    }
    return receive;
  }

  @Override
  public void onReceived(long id, long octets, boolean solicited, int invalidated) {
    Message message = received(id, solicited);
    if (message != null) {
      verify(!message.immediate(), "immediate data came as a message");
      verify(octets == message.length(), octets + " octets came of " + message.length());
      Tag tag = message.invalidates();
      verify(invalidated == (tag == null ? 0 : tag.stag()), "not what was to be invalidated");
      if (tag != null) {
        tags.invalidated(tag);
      }
    }
    program.completed();
  }

  @Override
  public void onImmediate(long id, long data, boolean solicited) {
    Message message = received(id, solicited);
    if (message != null) {
      verify(message.immediate(), "a message came as immediate data");
      long sent = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        sent = (sent << Byte.SIZE) | (message.array()[message.first() + i] & 0xff);
      }
      verify(data == sent, "other immediate data came than was sent");
    }
    program.completed();
  }

  private Message received(long id, boolean solicited) {
    alive("a message");
    completed++;
    counts.add(Happening.RECEIVED);
    Receive receive = nextReceive(id);
    if (receive == null || receive.message() == null) {
      world.verdict().violated(name() + ": a message that was not posted");
      return null;
    }
    Message message = receive.message();
    in.received();
    verify(solicited == message.solicited(), "an event was solicited, or not, unlike posted");
    memory.writesDone(message.number() + 1, "a message behind it was received");
    memory.done(receive.targets(), "it is a message that was received");
    program.giveBack(receive);
    return message;
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    alive("an error");
    if (world.traced()) {
      world.say(name() + ": error " + new ErrorNumber(layer, type, code) + ", " + detail);
    }
    verify(requests.isEmpty() && receives.isEmpty(), "an error, and not everything was flushed");
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
    verify(requests.isEmpty() && receives.isEmpty(), "the end, and not everything was flushed");
    closed = reason;
    errors.closed(reason);
    memory.freeze("the connection is gone");
    peer.poke();
  }

  // What its program asks for.

  /** Posts a request; false if there is no room, as there should not be. */
  boolean post(Request request, BooleanSupplier post) {
    boolean room = requests.size() < settings.sendDepth();
    if (room) {
      requests.add(request);
    }
    // What ends within its post lets the program post again.
    Request outer = posting;
    posting = request;
    boolean taken = post.getAsBoolean();
    posting = outer;
    if (request.endedAtOnce()) {
      verify(
          taken && (over() || flushed || request.refusedHere()),
          "a post ended at once without a reason");
      return false;
    }
    verify(taken == room, taken ? "a post too many was taken" : "a post was not taken");
    if (room && !taken) {
      requests.remove(request);
    }
    return taken;
  }

  /** Posts a receive, for which there is room. */
  void post(Receive receive) {
    receives.add(receive);
    in.add(receive);
    verify(posts.receive(receive.id(), receive.pieces()), "a receive was not taken");
    peer.poke();
  }

  /** Closes its half. */
  void close() {
    if (world.traced()) {
      world.say(name() + " closes");
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
    verify(requests.isEmpty() && receives.isEmpty(), "aborted, and not everything was flushed");
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
    machine.host().poke();
  }

  private void alive(String what) {
    verify(closed == null && errors.number() == null && !dead, what + " after the end or an error");
  }

  void verify(boolean holds, String what) {
    if (!holds) {
      world.verdict().violated(name() + ": " + what);
    }
  }

  // What it is.

  long now() {
    return world.network().now();
  }

  World world() {
    return world;
  }

  Endpoint peer() {
    return peer;
  }

  RdmapStream stream() {
    return stream;
  }

  RdmapSettings settings() {
    return settings;
  }

  Terms terms() {
    return terms;
  }

  boolean initiator() {
    return initiator;
  }

  Machine machine() {
    return machine;
  }

  MemoryModel memory() {
    return memory;
  }

  Tags tags() {
    return tags;
  }

  Tag sinkTag() {
    return sinkTag;
  }

  Posts posts() {
    return posts;
  }

  Program program() {
    return program;
  }

  Counts counts() {
    return counts;
  }

  Noise noise() {
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

  int receivesPosted() {
    return receives.size();
  }

  /** Reads and atomics that have no answer. */
  long asking() {
    return requests.stream()
        .filter(one -> one.kind() == CompletionKind.READ || one.kind() == CompletionKind.ATOMIC)
        .count();
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
    return completed + (peerClosed ? 1 : 0) + (done() ? 1 : 0) + (established ? 1 : 0);
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
        completed,
        in,
        in.lacking(),
        errors.number() == null ? "" : ", error " + errors.number(),
        closing ? ", closing" : "",
        closed == null ? "open" : closed);
  }
}
