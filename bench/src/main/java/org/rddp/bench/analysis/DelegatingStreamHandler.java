package org.rddp.bench.analysis;

import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Stands between a connection and its user, and passes every upcall on. */
abstract class DelegatingStreamHandler implements StreamHandler {
  private final StreamHandler user;

  DelegatingStreamHandler(StreamHandler user) {
    this.user = user;
  }

  @Override
  public void onOpen(TcpStream stream) {
    user.onOpen(stream);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    user.onSegment(position, address, length, packet);
  }

  @Override
  public void onLeftEdge(long position) {
    user.onLeftEdge(position);
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
    user.onClosed(reason);
  }
}
