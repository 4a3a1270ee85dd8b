package org.rddp.bench.layers;

import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/**
 * A TCP connection that costs almost nothing: two ends on one thread, whose segments wait until
 * they are delivered. No loss, and no window is ever full.
 */
final class JoinedStreams {
  private static final int PACKETS = 256;

  private final NativePacketPool pool;
  private final End first;
  private final End second;

  /**
   * Two handlers joined; both have been told that the connection is open.
   *
   * @param emss of both ends, in octets
   */
  JoinedStreams(StreamHandler first, StreamHandler second, int emss) {
    pool = new NativePacketPool(PACKETS, emss);
    this.first = new End(first, emss);
    this.second = new End(second, emss);
    this.first.other = this.second;
    this.second.other = this.first;
    second.onOpen(this.second);
    first.onOpen(this.first);
  }

  /** Runs {@code turn} and delivers segments until none is left. */
  void settle(Runnable turn) {
    do {
      turn.run();
    } while (deliverFirst() + deliverSecond() > 0);
  }

  /** Delivers what the first end has sent; returns the number of segments. */
  int deliverFirst() {
    return first.deliver();
  }

  /** Delivers what the second end has sent; returns the number of segments. */
  int deliverSecond() {
    return second.deliver();
  }

  private final class End implements TcpStream {
    private final StreamHandler handler;
    private final int emss;
    private final long[] queue = new long[PACKETS];
    private End other;
    private int queued;
    private long sent;
    private long delivered;

    End(StreamHandler handler, int emss) {
      this.handler = handler;
      this.emss = emss;
    }

    int deliver() {
      int count = queued;
      queued = 0;
      for (int i = 0; i < count; i++) {
        long packet = queue[i];
        int length = pool.length(packet);
        long position = delivered;
        delivered += length;
        other.handler.onSegment(position, pool.address(packet), length, packet);
        pool.release(packet);
      }
      return count;
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
      return sent;
    }

    @Override
    public long receivePosition() {
      return other.delivered;
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
    public void send(long packet) {
      sent += pool.length(packet);
      queue[queued++] = packet;
    }

    @Override
    public void consumed(int octets) {}

    @Override
    public void closeSend() {}

    @Override
    public void abort() {
      handler.onClosed(CloseReason.ABORTED);
    }

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
}
