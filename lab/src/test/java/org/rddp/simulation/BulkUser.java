package org.rddp.simulation;

import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.StreamHandlerAdapter;

/** Sends all that it may, or receives all that arrives. */
final class BulkUser extends StreamHandlerAdapter {
  private final boolean sends;
  TcpStream stream;

  BulkUser(boolean sends) {
    this.sends = sends;
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    onSendable();
  }

  @Override
  public void onSendable() {
    while (sends && stream.sendable()) {
      long packet = stream.allocate();
      if (packet == 0) {
        return;
      }
      stream.pool().window(packet, stream.pool().address(packet), stream.emss());
      stream.send(packet);
    }
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    stream.consumed(length);
  }
}
