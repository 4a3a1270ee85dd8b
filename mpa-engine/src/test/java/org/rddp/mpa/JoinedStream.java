package org.rddp.mpa;

import org.rddp.device.NativePacketPool;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

/**
 * One end of a connection that passes every segment to the other end at once, cut again at
 * multiples of a fixed number of octets, and allocates nothing. It may delay some segments, so that
 * those after them arrive first.
 */
final class JoinedStream extends InMemoryTcpStream {
  private final NativePacketPool pool;
  private final int cut;
  private JoinedStream peer;
  private final boolean reorders;
  private long sent;
  private int segments;

  /** The delayed segment, 0 for none. */
  private long late;

  private int lateLength;
  private int passedBy;
  private long edge;

  JoinedStream(NativePacketPool pool, int cut) {
    this(pool, cut, false);
  }

  JoinedStream(NativePacketPool pool, int cut, boolean reorders) {
    super(pool, 1460, NO_FILLER);
    this.pool = pool;
    this.cut = cut;
    this.reorders = reorders;
  }

  /** Connects two ends. */
  void join(JoinedStream other) {
    peer = other;
    other.peer = this;
  }

  @Override
  protected void transmit(long packet) {
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
    if (!peer.handler().accepts(position, pool.address(arriving), length)) {
      throw new IllegalStateException("refused");
    }
    peer.handler().onSegment(position, pool.address(arriving), length, arriving);
    pool.release(arriving);
    if (late != 0 && ++passedBy == 3) {
      flush();
    }
  }

  /** Delivers the delayed segment. */
  void flush() {
    if (late != 0) {
      long arriving = late;
      late = 0;
      long position = edge;
      edge += lateLength;
      peer.handler().onSegment(position, pool.address(arriving), lateLength, arriving);
      pool.release(arriving);
      if (edge < sent) {
        edge = sent;
        peer.handler().onLeftEdge(edge);
      }
    }
  }

  @Override
  public long receivePosition() {
    return peer.edge;
  }
}
