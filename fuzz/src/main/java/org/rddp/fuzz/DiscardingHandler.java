package org.rddp.fuzz;

import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.StreamHandlerAdapter;

/** A user of TCP that consumes all octets. */
final class DiscardingHandler extends StreamHandlerAdapter {
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
  public void onPeerClosed() {
    stream.closeSend();
  }
}
