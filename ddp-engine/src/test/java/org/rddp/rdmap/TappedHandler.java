package org.rddp.rdmap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.List;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Keeps a copy of every segment that comes to a handler, or to one that takes its place. */
final class TappedHandler implements StreamHandler {
  private final List<byte[]> segments;
  private StreamHandler handler;

  /**
   * A tap.
   *
   * @param handler which all of it is for
   * @param segments where copies go
   */
  TappedHandler(StreamHandler handler, List<byte[]> segments) {
    this.handler = handler;
    this.segments = segments;
  }

  @Override
  public void onOpen(TcpStream stream) {
    Object passing =
        Proxy.newProxyInstance(
            TcpStream.class.getClassLoader(),
            new Class<?>[] {TcpStream.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("handler")) {
                handler = (StreamHandler) arguments[0];
                return null;
              }
              return method.invoke(stream, arguments);
            });
    handler.onOpen((TcpStream) passing);
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
