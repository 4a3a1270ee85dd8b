package org.rddp.ddp;

import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * A TCP connection without a network: two ends in one thread, between which segments move when the
 * test says so. Nothing is lost; a window bounds how many segments are on their way.
 */
public final class LoopedTcp {
  private static final int PACKETS = 128;

  private final NativePacketPool pool;
  private final End first;
  private final End second;

  private LoopedTcp(StreamHandler first, StreamHandler second, int emss) {
    pool = new NativePacketPool(PACKETS, emss);
    this.first = new End(first, emss);
    this.second = new End(second, emss);
    this.first.other = this.second;
    this.second.other = this.first;
  }

  /** Two handlers joined; both have been told that the connection is open. */
  public static LoopedTcp join(StreamHandler first, StreamHandler second, int emss) {
    LoopedTcp joined = new LoopedTcp(first, second, emss);
    second.onOpen(joined.second);
    first.onOpen(joined.first);
    return joined;
  }

  /** Makes EMSS smaller at the first end. */
  public void setEmss(int emss) {
    first.emss = emss;
    first.handler.onEmss(emss);
  }

  /** How many segments the first end may have on their way: 0 stops it. */
  public void setWindow(int segments) {
    first.window = segments;
  }

  /** Flips a bit of the next segment that the second end sends. */
  public void corrupt(int octet, int bit) {
    second.corrupted = octet;
    second.mask = 1 << bit;
  }

  /** Moves segments both ways, and lets {@code turn} send more, until nothing moves any more. */
  public void run(Runnable turn) {
    boolean moved = true;
    while (moved) {
      turn.run();
      moved = first.deliver();
      moved |= second.deliver();
    }
  }

  /** Ends the connection as a lost network does: both ends time out. */
  public void cut() {
    first.close(CloseReason.TIMEOUT);
    second.close(CloseReason.TIMEOUT);
  }

  /** Octets by which the first end has opened its window. */
  public int consumed() {
    return first.consumed;
  }

  /** Packets that nobody holds. */
  public int freePackets() {
    return pool.available();
  }

  /** Packets in all. */
  public int packets() {
    return pool.capacity();
  }

  private final class End implements TcpStream {
    private final StreamHandler handler;
    private final long[] queue = new long[PACKETS];
    private End other;
    private int emss;
    private int window = PACKETS / 2;
    private int head;
    private int queued;
    private long sent;
    private long delivered;
    private boolean asked;
    private boolean finQueued;
    private boolean finDelivered;
    private boolean closed;
    private int consumed;
    private int corrupted = -1;
    private int mask;

    private End(StreamHandler handler, int emss) {
      this.handler = handler;
      this.emss = emss;
    }

    private boolean deliver() {
      boolean moved = queued > 0;
      while (queued > 0) {
        long packet = queue[head];
        head = (head + 1) % PACKETS;
        queued--;
        int length = pool.length(packet);
        long position = delivered;
        delivered += length;
        if (corrupted >= 0) {
          long at = pool.address(packet) + corrupted;
          Memory.putByte(at, Memory.getByte(at) ^ mask);
          corrupted = -1;
        }
        if (!other.closed) {
          other.handler.onSegment(position, pool.address(packet), length, packet);
        }
        pool.release(packet);
      }
      if (finQueued && !finDelivered && !closed) {
        finDelivered = true;
        moved = true;
        other.handler.onPeerClosed();
      }
      if (finDelivered && other.finDelivered && !closed) {
        close(CloseReason.NORMAL);
        other.close(CloseReason.NORMAL);
      }
      if (asked && window > 0 && !closed) {
        asked = false;
        moved = true;
        handler.onSendable();
      }
      return moved;
    }

    private void close(CloseReason reason) {
      if (!closed) {
        closed = true;
        handler.onClosed(reason);
      }
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
      boolean sendable = !closed && !finQueued && queued < window;
      asked |= !sendable;
      return sendable;
    }

    @Override
    public long allocate() {
      long packet = pool.allocate();
      asked |= packet == 0;
      return packet;
    }

    @Override
    public void send(long packet) {
      if (closed || finQueued) {
        pool.release(packet);
        return;
      }
      sent += pool.length(packet);
      queue[(head + queued++) % PACKETS] = packet;
    }

    @Override
    public void consumed(int octets) {
      consumed += octets;
    }

    @Override
    public void closeSend() {
      finQueued = true;
    }

    @Override
    public void abort() {
      close(CloseReason.ABORTED);
      other.close(CloseReason.RESET);
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
