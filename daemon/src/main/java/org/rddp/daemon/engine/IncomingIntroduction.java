package org.rddp.daemon.engine;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.rddp.ip.HostAddress;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;

/**
 * A connection of a peer's queue pair, from TCP's handshake until the queue pair that it asks for
 * has it, or it is refused. One that is refused gets no answer but a reset, which costs us nothing
 * afterwards; the peer tries again. Engine thread only.
 */
final class IncomingIntroduction extends StartupWatch implements StartupHandler, PendingStartup {
  /** How long one is kept whose queue pair does not expect a peer yet, in nanoseconds. */
  private static final long KEPT = TimeUnit.SECONDS.toNanos(4);

  private final Introducer introducer;
  private final Engine engine;
  private final TcpConnection tcp;
  private final HostAddress remoteAddress;
  private MpaStartup startup;
  private final Deadline expiry;

  /** Null before the Request has come. */
  private Introduction introduction;

  /** Private Data of the Request. */
  private byte[] requestData;

  /** Where it is kept; null while it is not. */
  private Meetings keeper;

  IncomingIntroduction(
      Introducer introducer, Engine engine, TcpConnection tcp, HostAddress remoteAddress) {
    this.introducer = introducer;
    this.engine = engine;
    this.tcp = tcp;
    this.remoteAddress = remoteAddress;
    expiry = new Deadline(engine.deadlines(), this::expire);
  }

  /** Waits for the Request. */
  MpaStartup begin() {
    startup = MpaStartup.responder(engine.rdmapSettings().mpa(), this, this);
    return startup;
  }

  /** Transfers one that waits for its Request, or is kept. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(IncomingIntroduction.class);
    startup = MpaTransfer.startup(snapshot, startup, tcp, this, this, this);
    requestData = snapshot.octets("requestData", requestData);
    if (snapshot.reads() && requestData != null) {
      introduction = Introduction.decode(requestData);
      keeper = introduction == null ? null : introducer.meetings(this);
      if (keeper == null || !keeper.inherit(this)) {
        throw snapshot.wrong("a peer's queue pair is kept that no session can have");
      }
    }
    expiry.transfer(snapshot, null, null);
    snapshot.end();
  }

  /** Adds its deadline, set or not. */
  void addDeadline(Collection<Deadline> all) {
    all.add(expiry);
  }

  MpaStartup startup() {
    return startup;
  }

  /** What the peer has said. */
  Introduction introduction() {
    return introduction;
  }

  /** Private Data of the peer's Request. */
  byte[] requestData() {
    return requestData;
  }

  TcpConnection tcp() {
    return tcp;
  }

  HostAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    engine.endStartup(remoteAddress, this);
    requestData = privateData;
    introduction = Introduction.decode(privateData);
    if (introduction == null) {
      refuse();
    } else {
      introducer.introduce(this);
    }
  }

  /** Whether a queue pair expects it. */
  boolean isFor(Expectation expectation) {
    return expectation.isOf(introduction, remoteAddress, tcp.localAddress());
  }

  /** Whether the same queue pair of the same host has sent another introduction. */
  boolean isOfSamePeer(IncomingIntroduction other) {
    return introduction.from() == other.introduction.from()
        && remoteAddress.equals(other.remoteAddress);
  }

  void refuse() {
    engine.counters().introductionsRefused++;
    tcp.abort();
  }

  /** It is kept until its queue pair expects a peer, for some seconds. */
  void keep(Meetings by) {
    keeper = by;
    engine.counters().introductionsKept++;
    expiry.set(tcp.now() + KEPT);
  }

  private void expire() {
    engine.counters().introductionsExpired++;
    tcp.abort();
  }

  /** A queue pair has it, or its session has ended. */
  void leave() {
    expiry.clear();
    keeper = null;
  }

  @Override
  public void abortSilently() {
    engine.endStartup(remoteAddress, this);
    tcp.abort();
  }

  @Override
  public void onError(MpaError error, String detail) {
    if (introduction == null) {
      engine.counters().introductionsRefused++;
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    engine.endStartup(remoteAddress, this);
    if (keeper != null) {
      keeper.drop(this);
    }
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    throw new IllegalStateException("nobody has accepted the Request");
  }

  @Override
  public void onRejected(byte[] privateData) {
    throw new IllegalStateException("a Responder is not rejected");
  }
}
