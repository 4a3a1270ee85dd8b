package org.rddp.device;

import org.rddp.wire.Memory;

/**
 * One end of a link within a thread: the other end receives each frame as a copy in a packet of its
 * own pool. If the other end's queue is full, transmit takes fewer frames than offered. If its pool
 * is empty, frames are lost, as with a network card: otherwise two ends could wait for each other's
 * packets forever.
 */
public final class LoopedDevice implements FrameDevice {
  private final PacketPool pool;
  private final long macAddress;
  private final int mtu;
  private final long[] queue;
  private int head;
  private int count;
  private boolean closed;
  private long missed;
  private LoopedDevice other;

  private LoopedDevice(PacketPool pool, long macAddress, int mtu, int frames) {
    this.pool = pool;
    this.macAddress = macAddress;
    this.mtu = mtu;
    this.queue = new long[frames];
  }

  /**
   * Two ends of a link.
   *
   * @param first pool of the first end
   * @param second pool of the second end; may be the same
   * @param mtu largest IP packet in octets; a frame that does not fit the other pool's packets is
   *     dropped
   * @param frames capacity of each direction
   * @return the two ends, with MAC addresses 02:00:00:00:00:01 and 02:00:00:00:00:02
   */
  public static LoopedDevice[] pair(PacketPool first, PacketPool second, int mtu, int frames) {
    LoopedDevice one = new LoopedDevice(first, 0x02_00_00_00_00_01L, mtu, frames);
    LoopedDevice two = new LoopedDevice(second, 0x02_00_00_00_00_02L, mtu, frames);
    one.other = two;
    two.other = one;
    return new LoopedDevice[] {one, two};
  }

  @Override
  public PacketPool pool() {
    return pool;
  }

  @Override
  public long macAddress() {
    return macAddress;
  }

  @Override
  public int mtu() {
    return mtu;
  }

  @Override
  public boolean up() {
    return !closed && !other.closed;
  }

  @Override
  public int receive(long[] packets) {
    int taken = Math.min(count, packets.length);
    for (int i = 0; i < taken; i++) {
      packets[i] = queue[head];
      head = head + 1 == queue.length ? 0 : head + 1;
    }
    count -= taken;
    return taken;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    for (int i = 0; i < count; i++) {
      long packet = packets[from + i];
      if (!other.offer(pool.address(packet), pool.length(packet))) {
        return i;
      }
      pool.release(packet);
    }
    return count;
  }

  /** Frames that this end lost because its pool was empty. */
  public long missed() {
    return missed;
  }

  private boolean offer(long frame, int length) {
    boolean isLong = length > pool.room();
    if (closed || (isLong && pool.longCapacity() == 0)) {
      return true;
    }
    if (count == queue.length) {
      return false;
    }
    long copy = isLong ? pool.allocateLong() : pool.allocate();
    if (copy == 0) {
      missed++;
      return true;
    }
    long address = pool.address(copy);
    Memory.copy(frame, address, length);
    pool.window(copy, address, length);
    int tail = head + count;
    queue[tail < queue.length ? tail : tail - queue.length] = copy;
    count++;
    return true;
  }

  @Override
  public void close() {
    closed = true;
    for (; count > 0; count--) {
      pool.release(queue[head]);
      head = head + 1 == queue.length ? 0 : head + 1;
    }
  }
}
