package org.rddp.bench.analysis;

import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/** A TCP connection without a network: hands up given packets, and keeps what its user sends. */
final class FedStream implements TcpStream {
  /** Octets of headers in front of a segment in a received packet. */
  private static final int HEADERS = 54;

  private static final int PACKETS = 16;

  private final NativePacketPool pool;
  private final int emss;
  private StreamHandler user;
  private long received;
  private byte[] sent = {};

  /** A connection whose packets have room for a segment and its headers. */
  FedStream(int emss) {
    this.emss = emss;
    pool = new NativePacketPool(PACKETS, Math.max(2048, emss + HEADERS));
  }

  void open(StreamHandler handler) {
    user = handler;
    handler.onOpen(this);
  }

  /** A packet with a segment in it. */
  long packet(byte[] octets) {
    long packet = pool.allocate();
    long address = pool.address(packet) + HEADERS;
    Memory.copy(octets, 0, address, octets.length);
    pool.window(packet, address, octets.length);
    return packet;
  }

  /** Hands up the octets of a packet as the next of the stream. */
  void feed(long packet) {
    int length = pool.length(packet);
    long position = received;
    received += length;
    user.onSegment(position, pool.address(packet), length, packet);
  }

  byte[] sent() {
    return sent;
  }

  @Override
  public void send(long packet) {
    sent = Memory.bytes(pool.address(packet), pool.length(packet));
    pool.release(packet);
  }

  @Override
  public PacketPool pool() {
    return pool;
  }

  @Override
  public int emss() {
    return emss;
  }

  @Override
  public long sendPosition() {
    return 0;
  }

  @Override
  public long receivePosition() {
    return received;
  }

  @Override
  public boolean sendable() {
    return true;
  }

  @Override
  public long allocate() {
    return pool.allocate();
  }

  @Override
  public void consumed(int octets) {}

  @Override
  public void closeSend() {}

  @Override
  public void abort() {}

  @Override
  public void alarm(long deadline) {}

  @Override
  public long now() {
    return 0;
  }

  @Override
  public long unacknowledged() {
    return 0;
  }
}
