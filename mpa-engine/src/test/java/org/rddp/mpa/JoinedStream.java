package org.rddp.mpa;

import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * One end of a pipe that hands every segment to the other end at once, cut anew at fixed distances,
 * and allocates nothing.
 */
final class JoinedStream implements TcpStream {
  private final NativePacketPool pool;
  private final int cut;
  private StreamHandler handler;
  private JoinedStream peer;
  private long sent;

  JoinedStream(NativePacketPool pool, int cut) {
    this.pool = pool;
    this.cut = cut;
  }

  /** Makes the two ends of a pipe. */
  void join(JoinedStream other) {
    peer = other;
    other.peer = this;
  }

  void open(StreamHandler user) {
    handler = user;
    user.onOpen(this);
  }

  @Override
  public void send(long packet) {
    int length = pool.length(packet);
    for (int from = 0; from < length; ) {
      int part = (int) Math.min(length - from, cut - sent % cut);
      long arriving = pool.allocate();
      long address = pool.address(arriving);
      Memory.copy(pool.address(packet) + from, address, part);
      long position = sent;
      from += part;
      sent += part;
      peer.handler.onSegment(position, address, part, arriving);
      pool.release(arriving);
    }
    pool.release(packet);
  }

  @Override
  public PacketPool pool() {
    return pool;
  }

  @Override
  public int emss() {
    return 1460;
  }

  @Override
  public long sendPosition() {
    return sent;
  }

  @Override
  public long receivePosition() {
    return peer.sent;
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
