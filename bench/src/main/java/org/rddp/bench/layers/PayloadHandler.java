package org.rddp.bench.layers;

import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.testing.StreamHandlerAdapter;

/** Consumes every octet, and sends payloads on request. */
final class PayloadHandler extends StreamHandlerAdapter {
  private final TcpConnection stream;
  private final int payload;
  private long taken;

  /**
   * The user of a connection.
   *
   * @param payload octets of what it sends
   */
  PayloadHandler(TcpConnection stream, int payload) {
    this.stream = stream;
    this.payload = payload;
  }

  /** Sends a payload of arbitrary octets. */
  void send() {
    long packet = stream.allocate();
    stream.pool().window(packet, stream.pool().address(packet), payload);
    stream.send(packet);
  }

  /** The connection. */
  TcpConnection stream() {
    return stream;
  }

  /** Octets sent that the peer has not acknowledged. */
  long unacknowledged() {
    return stream.unacknowledged();
  }

  long taken() {
    return taken;
  }

  @Override
  public int prefetch() {
    return (int) taken;
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    taken += length;
    stream.consumed(length);
  }
}
