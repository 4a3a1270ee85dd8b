package org.rddp.mpa;

import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * One end of a pipe that hands every segment to the other end at once, cut anew at fixed distances,
 * and allocates nothing. It may hold some segments back, so that those behind them come first.
 */
final class JoinedStream implements TcpStream {
  private final NativePacketPool pool;
  private final int cut;
  private StreamHandler handler;
  private JoinedStream peer;
  private final boolean reorders;
  private long sent;
  private int segments;

  /** The segment that stays open until {@link #turn}, or 0. */
  private long open;

  /** A segment that is held back, 0 for none, and where the other end's left edge is. */
  private long late;

  private int lateLength;
  private int passedBy;
  private long edge;

  JoinedStream(NativePacketPool pool, int cut) {
    this(pool, cut, false);
  }

  JoinedStream(NativePacketPool pool, int cut, boolean reorders) {
    this.pool = pool;
    this.cut = cut;
    this.reorders = reorders;
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
    send(packet, false);
  }

  @Override
  public void send(long packet, boolean more) {
    turn();
    open = packet;
    if (!more) {
      turn();
    }
  }

  @Override
  public long openPacket() {
    return open;
  }

  @Override
  public void extend(int octets, boolean more) {
    pool.window(open, pool.address(open), pool.length(open) + octets);
    if (!more) {
      turn();
    }
  }

  /** The turn of the duty cycle ends: an open segment leaves. */
  void turn() {
    if (open != 0) {
      long packet = open;
      open = 0;
      leave(packet);
    }
  }

  private void leave(long packet) {
    int length = pool.length(packet);
    for (int from = 0; from < length; ) {
      int part = (int) Math.min(length - from, cut - sent % cut);
      long arriving = pool.allocate();
      long address = pool.address(arriving);
      Memory.copy(pool.address(packet) + from, address, part);
      long position = sent;
      from += part;
      sent += part;
      pool.window(arriving, address, part);
      segments++;
      if (reorders && late == 0 && segments > 8 && segments % 5 == 0) {
        late = arriving;
        lateLength = part;
        passedBy = 0;
      } else {
        deliver(position, part, arriving);
      }
    }
    pool.release(packet);
  }

  private void deliver(long position, int length, long arriving) {
    if (late == 0) {
      edge = position + length;
    }
    if (!peer.handler.accepts(position, pool.address(arriving), length)) {
      throw new IllegalStateException("refused");
    }
    peer.handler.onSegment(position, pool.address(arriving), length, arriving);
    pool.release(arriving);
    if (late != 0 && ++passedBy == 3) {
      flush();
    }
  }

  /** Hands over the segment that is held back. */
  void flush() {
    if (late != 0) {
      long arriving = late;
      late = 0;
      long position = edge;
      edge += lateLength;
      peer.handler.onSegment(position, pool.address(arriving), lateLength, arriving);
      pool.release(arriving);
      if (edge < sent) {
        edge = sent;
        peer.handler.onLeftEdge(edge);
      }
    }
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
    return peer.edge;
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
