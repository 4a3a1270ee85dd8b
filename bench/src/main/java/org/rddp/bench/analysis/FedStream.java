package org.rddp.bench.analysis;

import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/** A TCP connection without a network: hands up what it is fed, and shows what its user sends. */
final class FedStream implements TcpStream {
  /** Octets of headers in front of a segment in a received packet. */
  private static final int HEADERS = 54;

  private static final int PACKETS = 16;

  private final NativePacketPool pool;
  private final int emss;
  private StreamHandler user;
  private long received;
  private byte[] sent = {};

  /** A connection whose packets have the room of a device's for such an EMSS. */
  FedStream(int emss) {
    this.emss = emss;
    pool = new NativePacketPool(PACKETS, Math.max(2048, emss + HEADERS));
  }

  /** Establishes the connection. */
  void open(StreamHandler handler) {
    user = handler;
    handler.onOpen(this);
  }

  /** A packet with a segment in it, to be fed as often as wanted. */
  long packet(byte[] octets) {
    long packet = pool.allocate();
    long address = pool.address(packet) + HEADERS;
    Memory.copy(octets, 0, address, octets.length);
    pool.window(packet, address, octets.length);
    return packet;
  }

  /** Hands up the octets of a packet as those that follow. */
  void feed(long packet) {
    int length = pool.length(packet);
    long position = received;
    received += length;
    user.onSegment(position, pool.address(packet), length, packet);
  }

  /** What the user has sent last. */
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
