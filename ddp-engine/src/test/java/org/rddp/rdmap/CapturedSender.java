package org.rddp.rdmap;

import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.StreamHandlerAdapter;
import org.rddp.wire.Memory;

/** The end of a TCP connection that sends captured segments as they were, and hears nothing. */
final class CapturedSender extends StreamHandlerAdapter {
  private TcpStream stream;

  /** Sends a segment. */
  void send(byte[] segment) {
    long packet = stream.allocate();
    long address = stream.pool().address(packet);
    Memory.copy(segment, 0, address, segment.length);
    stream.pool().window(packet, address, segment.length);
    stream.send(packet);
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
  }
}
