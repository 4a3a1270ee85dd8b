package org.rddp.tcp;

import org.rddp.tcp.storage.EarlySegments;

/**
 * Stands between a connection and a user that wants its octets in order only: what comes before its
 * turn is kept by reference until what is missing has come.
 *
 * <p>The user hears {@link #onSegment} for every octet once and in rising order, and never {@link
 * #onLeftEdge}.
 */
public final class InOrderHandler implements StreamHandler {
  private final StreamHandler user;
  private TcpStream stream;
  private EarlySegments early;

  /** To be given to the connection in place of the user. */
  public InOrderHandler(StreamHandler user) {
    this.user = user;
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    early = new EarlySegments(opened.pool());
    user.onOpen(opened);
  }

  @Override
  public boolean accepts(long position, long address, int length) {
    return user.accepts(position, address, length);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position > stream.receivePosition()) {
      early.hold(position, address, length, packet);
    } else {
      user.onSegment(position, address, length, packet);
    }
  }

  @Override
  public void onLeftEdge(long edge) {
    early.handUp(edge, user);
  }

  @Override
  public void onSendable() {
    user.onSendable();
  }

  @Override
  public void onEmss(int emss) {
    user.onEmss(emss);
  }

  @Override
  public void onAlarm(long now) {
    user.onAlarm(now);
  }

  @Override
  public void onPeerClosed() {
    user.onPeerClosed();
  }

  @Override
  public void onClosed(CloseReason reason) {
    if (early != null) {
      early.clear();
    }
    user.onClosed(reason);
  }
}
