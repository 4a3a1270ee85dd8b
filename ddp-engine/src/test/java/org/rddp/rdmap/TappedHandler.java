package org.rddp.rdmap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/**
 * Keeps a copy of every segment that comes to a handler.
 *
 * @param handler which all of it is for
 * @param segments where copies go
 */
record TappedHandler(StreamHandler handler, List<byte[]> segments) implements StreamHandler {
  @Override
  public void onOpen(TcpStream stream) {
    handler.onOpen(stream);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    MemorySegment octets = MemorySegment.ofAddress(address).reinterpret(length);
    segments.add(octets.toArray(ValueLayout.JAVA_BYTE));
    handler.onSegment(position, address, length, packet);
  }

  @Override
  public void onLeftEdge(long position) {
    handler.onLeftEdge(position);
  }

  @Override
  public void onSendable() {
    handler.onSendable();
  }

  @Override
  public void onEmss(int emss) {
    handler.onEmss(emss);
  }

  @Override
  public void onAlarm(long now) {
    handler.onAlarm(now);
  }

  @Override
  public void onPeerClosed() {
    handler.onPeerClosed();
  }

  @Override
  public void onClosed(CloseReason reason) {
    handler.onClosed(reason);
  }
}
