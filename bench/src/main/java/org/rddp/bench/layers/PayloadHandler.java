package org.rddp.bench.layers;

import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Consumes every octet, and sends payloads on request. */
final class PayloadHandler implements StreamHandler {
  private final TcpStream stream;
  private final int payload;
  private long taken;

  /**
   * The user of a connection.
   *
   * @param payload octets of what it sends
   */
  PayloadHandler(TcpStream stream, int payload) {
    this.stream = stream;
    this.payload = payload;
  }

  /** Sends a payload of arbitrary octets. */
  void send() {
    long packet = stream.allocate();
    stream.pool().window(packet, stream.pool().address(packet), payload);
    stream.send(packet);
  }

  /** Octets sent that the peer has not acknowledged. */
  long unacknowledged() {
    return stream.unacknowledged();
  }

  long taken() {
    return taken;
  }

  @Override
  public void onOpen(TcpStream opened) {}

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    taken += length;
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
  public void onPeerClosed() {}

  @Override
  public void onClosed(CloseReason reason) {}
}
