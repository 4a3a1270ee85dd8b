package org.rddp.tcp;

import org.rddp.tcp.storage.EarlySegments;

/**
 * A handler for a user that needs octets in order: keeps packets received out of order until the
 * missing octets have been received.
 *
 * <p>The user gets every octet once, in order, by {@link #onSegment}, and no call of {@link
 * #onLeftEdge}.
 */
public final class InOrderHandler implements StreamHandler {
  private final StreamHandler user;
  private TcpStream stream;
  private EarlySegments early;

  /** A handler to be given to the connection instead of the user. */
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
