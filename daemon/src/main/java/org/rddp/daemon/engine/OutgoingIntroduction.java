package org.rddp.daemon.engine;

import org.rddp.group.StackMember;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;

/** One try of a queue pair to reach the peer that it expects. Engine thread only. */
final class OutgoingIntroduction extends StartupWatch implements StartupHandler {
  private final Meeting meeting;
  private final MpaStartup startup;
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
