package org.rddp.fuzz;

import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** A user of TCP that consumes all octets. */
final class DiscardingHandler implements StreamHandler {
  private TcpStream stream;

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    stream.consumed(length);
  }

  @Override
  public void onLeftEdge(long position) {}

  @Override
  public void onSendable() {}

  @Override
  public void onEmss(int emss) {}

  @Override
  public void onAlarm(long now) {}

  @Override
  public void onPeerClosed() {
    stream.closeSend();
  }

  @Override
  public void onClosed(CloseReason reason) {}
}
