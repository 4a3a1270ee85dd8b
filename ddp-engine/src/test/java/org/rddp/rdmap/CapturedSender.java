package org.rddp.rdmap;

import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/** The end of a TCP connection that sends captured segments as they were, and hears nothing. */
final class CapturedSender implements StreamHandler {
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

  @Override
  public void onSegment(long position, long address, int length, long packet) {}

  @Override
  public void onLeftEdge(long position) {}

  @Override
  public void onSendable() {}

  @Override
  public void onEmss(int emss) {}

  @Override
  public void onAlarm(long now) {}

  @Override
  public void onPeerClosed() {}

  @Override
  public void onClosed(CloseReason reason) {}
}
