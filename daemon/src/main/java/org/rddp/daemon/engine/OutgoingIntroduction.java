package org.rddp.daemon.engine;

import org.rddp.group.StackMember;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.UlpduHandler;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;

/** One try of a queue pair to reach the peer that it expects. Engine thread only. */
final class OutgoingIntroduction extends StartupWatch implements StartupHandler {
  private final Meeting meeting;
  private MpaStartup startup;
  private final TcpConnection tcp;

  /**
   * Begins to connect.
   *
   * @throws IllegalStateException if there is no route, or no port or connection is left
   */
  OutgoingIntroduction(Meeting meeting, Engine engine, int port, SessionConnection connection) {
    this.meeting = meeting;
    Expectation peer = meeting.expectation();
    SessionStream stream = connection.stream();
    byte[] request = connection.requestData(peer.introduction().encode());
    startup = MpaStartup.initiator(stream.mpa(), request, this, this, stream.ddp());
    tcp =
        engine
            .tcp()
            .connectShared(peer.remote(), port, StackMember.group(peer.remoteNumber()), startup);
  }

  private OutgoingIntroduction(Meeting meeting, TcpConnection tcp) {
    this.meeting = meeting;
    this.tcp = tcp;
  }

  /**
   * Transfers a try.
   *
   * @param transports the connections of TCP
   * @param user of the connection that it may become
   * @param written null if it is read
   */
  static OutgoingIntroduction transfer(
      Snapshot snapshot,
      Meeting meeting,
      References<TcpConnection> transports,
      UlpduHandler user,
      OutgoingIntroduction written) {
    snapshot.begin(OutgoingIntroduction.class);
    TcpConnection tcp = transports.require(snapshot, "tcp", written == null ? null : written.tcp);
    if (snapshot.reads() && tcp.hasUser()) {
      throw snapshot.wrong("a try of a queue pair has a connection of others");
    }
    OutgoingIntroduction each = written == null ? new OutgoingIntroduction(meeting, tcp) : written;
    each.startup = MpaTransfer.startup(snapshot, each.startup, tcp, each, each, user);
    snapshot.end();
    return each;
  }

  MpaStartup startup() {
    return startup;
  }

  TcpConnection tcp() {
    return tcp;
  }

  /** Gives the try up; nothing is told of it. */
  void abort() {
    tcp.abort();
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    meeting.agreed(this, terms, privateData);
  }

  @Override
  public void onRejected(byte[] privateData) {
    meeting.answeredByStranger(this);
  }

  @Override
  public void onClosed(CloseReason reason) {
    if (reason == CloseReason.REFUSED) {
      meeting.nobodyListens(this);
    } else if (startup.isAnswered()) {
      meeting.answeredByStranger(this);
    } else {
      meeting.ended(this);
    }
  }

  @Override
  public void onError(MpaError error, String detail) {}

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    throw new IllegalStateException("an Initiator gets no Request");
  }
}
