package org.rddp.tcp.testing;

import org.rddp.device.NativePacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.wire.Memory;

/**
 * A TCP connection with both ends in memory and on one thread. Segments wait until they are
 * delivered; none is lost. Allocates nothing per segment.
 */
public final class InMemoryTcpPair {
  private static final int PACKETS = 256;

  private final NativePacketPool pool;
  private final End first;
  private final End second;

  /**
   * Connects two handlers and tells both that the connection is open.
   *
   * @param emss of both ends, in octets
   */
  public InMemoryTcpPair(StreamHandler first, StreamHandler second, int emss) {
    pool = new NativePacketPool(PACKETS, emss);
    this.first = new End(pool, emss);
    this.second = new End(pool, emss);
    this.first.peer = this.second;
    this.second.peer = this.first;
    this.second.open(second);
    this.first.open(first);
  }

  /** Calls {@code turn} and delivers in both directions, until nothing moves any more. */
  public void run(Runnable turn) {
    boolean moved = true;
    while (moved) {
      turn.run();
      moved = first.move();
      moved |= second.move();
    }
  }

  /** Delivers what the first end has sent; returns the number of segments. */
  public int deliverFirst() {
    return first.deliver();
  }

  /** Delivers what the second end has sent; returns the number of segments. */
  public int deliverSecond() {
    return second.deliver();
  }

  /** Changes EMSS of the first end. */
  public void setEmss(int emss) {
    first.changeEmss(emss);
  }

  /** Limits the undelivered segments of the first end; 0 stops it. */
  public void setWindow(int segments) {
    first.window = segments;
  }

  /** Flips a bit of the next segment that is delivered from the second end. */
  public void corrupt(int octet, int bit) {
    second.corruptedOctet = octet;
    second.mask = 1 << bit;
  }

  /** Ends the connection with a timeout at both ends. */
  public void cut() {
    first.end(CloseReason.TIMEOUT);
    second.end(CloseReason.TIMEOUT);
  }

  /** Octets by which the first end's user has opened its window. */
  public long consumed() {
    return first.consumed();
  }

  /** Packets that are not in use. */
  public int freePackets() {
    return pool.available();
  }

  /** Number of packets. */
  public int packets() {
    return pool.capacity();
  }

  private static final class End extends InMemoryTcpStream {
    private final long[] queue = new long[PACKETS];
    private End peer;
    private int window = PACKETS / 4;
    private int head;
    private int queued;
    private boolean sendableRequested;
    private boolean finDelivered;
    private int corruptedOctet = -1;
    private int mask;

    private End(NativePacketPool pool, int emss) {
      super(pool, emss, NO_FILLER);
    }

    private int deliver() {
      endTurn();
      int moved = 0;
      while (queued > 0) {
        long packet = queue[head];
        head = (head + 1) % PACKETS;
        queued--;
        moved++;
        corrupt(packet);
        if (!peer.isClosed()) {
          peer.receive(packet);
        }
        pool().release(packet);
      }
      return moved;
    }

    /** Delivers segments, and then what else has happened; returns whether there was anything. */
    private boolean move() {
      int segments = deliver();
      return deliverEvents() || segments > 0;
    }

    private void corrupt(long packet) {
      if (corruptedOctet >= 0) {
        long at = pool().address(packet) + corruptedOctet;
        Memory.putByte(at, Memory.getByte(at) ^ mask);
        corruptedOctet = -1;
      }
    }

    private boolean deliverEvents() {
      boolean moved = false;
      if (isSendClosed() && !finDelivered && !isClosed()) {
        finDelivered = true;
        moved = true;
        peer.peerCloses();
      }
      if (finDelivered && peer.finDelivered && !isClosed()) {
        end(CloseReason.NORMAL);
        peer.end(CloseReason.NORMAL);
      }
      if (sendableRequested && window > 0 && !isClosed()) {
        sendableRequested = false;
        moved = true;
        handler().onSendable();
      }
      return moved;
    }

    @Override
    public boolean sendable() {
      boolean sendable = super.sendable() && !isSendClosed() && queued < window;
      sendableRequested |= !sendable;
      return sendable;
    }

    @Override
    public long allocate() {
      long packet = super.allocate();
      sendableRequested |= packet == 0;
      return packet;
    }

    @Override
    public void send(long packet, boolean more) {
      if (isClosed() || isSendClosed()) {
        pool().release(packet);
      } else {
        super.send(packet, more);
      }
    }

    @Override
    protected void transmit(long packet) {
      queue[(head + queued) % PACKETS] = packet;
      queued++;
    }

    @Override
    public void abort() {
      super.abort();
      peer.end(CloseReason.RESET);
    }
  }
}
