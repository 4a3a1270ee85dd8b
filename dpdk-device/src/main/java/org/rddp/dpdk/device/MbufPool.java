package org.rddp.dpdk.device;

import org.rddp.device.PacketPool;
import org.rddp.dpdk.MbufFlags;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;
import org.rddp.wire.Memory;

/**
 * DPDK's packet buffers (mbufs) as packets. A handle is an mbuf's address.
 *
 * <p>Buffers move between the mempool and a stack of free ones here in batches, with one native
 * call per batch. Everything else is done on the mbuf's memory from Java.
 *
 * <p>A packet that a ring has passed on is held by engines at both ends, maybe on different
 * threads, so its references are counted atomically. Whoever holds the only one need not: nobody
 * else can add to it. A released packet may belong to another pool, as one received through a ring
 * does; the last holder returns it to that pool.
 */
public final class MbufPool implements PacketPool {
  /** Buffers per call to the mempool. */
  private static final int BATCH = 64;

  /** The most free buffers kept here. */
  private static final int KEPT = 8 * BATCH;

  private static final int PTR = Long.BYTES;

  private final Mempool mempool;

  /** The mempool of long packets; null if there are none. */
  private final Mempool longOnes;

  private final long batch = Memory.allocate((long) BATCH * PTR);
  private final long foreign = Memory.allocate((long) BATCH * PTR);
  private final long[] free = new long[KEPT];
  private int kept;
  private int foreigners;

  /**
   * Creates a pool.
   *
   * @param mempool the buffers; only this pool and the receiving port may allocate from it
   * @param longOnes buffers longer than the others, for this pool alone; null if there are none
   */
  public MbufPool(Mempool mempool, Mempool longOnes) {
    this.mempool = mempool;
    this.longOnes = longOnes;
  }

  @Override
  public long allocate() {
    if (kept == 0 && !refill()) {
      return 0;
    }
    long packet = free[--kept];
    Memory.putShortNative(packet + MbufLayout.DATA_OFF, MbufLayout.HEADROOM);
    Memory.putLongNative(packet + MbufLayout.OL_FLAGS, 0);
    length(packet, 0);
    return packet;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Allocates them one by one: the call is a small part of a long packet's cost, and the mempool
   * returns the one released last, which is in the processor's cache.
   */
  @Override
  public long allocateLong() {
    return longOnes == null ? 0 : longOnes.allocate();
  }

  @Override
  public int longCapacity() {
    return longOnes == null ? 0 : longOnes.buffers();
  }

  @Override
  public boolean isLong(long packet) {
    return Memory.getShortNative(packet + MbufLayout.BUF_LEN) > mempool.dataRoom();
  }

  private int longRoom() {
    return longOnes == null ? 0 : longOnes.dataRoom() - MbufLayout.HEADROOM;
  }

  private boolean refill() {
    int count = BATCH;
    // A bulk allocation is all or nothing, so the last buffers are allocated in smaller batches.
    while (!mempool.allocate(batch, count)) {
      count /= 4;
      if (count == 0) {
        return false;
      }
    }
    for (int i = 0; i < count; i++) {
      free[kept++] = Memory.getLongNative(batch + (long) i * PTR);
    }
    return true;
  }

  @Override
  public void retain(long packet) {
    if (references(packet) == 1) {
      references(packet, 2);
    } else {
      Memory.getAndAddShortNative(packet + MbufLayout.REFCNT, 1);
    }
  }

  @Override
  public void release(long packet) {
    if (references(packet) > 1) {
      if (Memory.getAndAddShortNative(packet + MbufLayout.REFCNT, -1) > 1) {
        return;
      }
      references(packet, 1);
    }
    if (Memory.getLongNative(packet + MbufLayout.POOL) != mempool.address()) {
      releaseForeign(packet);
    } else {
      if (kept == KEPT) {
        giveBack(BATCH);
      }
      free[kept++] = packet;
    }
  }

  private void releaseForeign(long packet) {
    if (isLong(packet) || passedOn(packet)) {
      // There are few: mostly the sender, which waits for an acknowledgment, is the last holder.
      Mempool.free(packet);
      return;
    }
    Memory.putLongNative(foreign + (long) foreigners * PTR, packet);
    if (++foreigners == BATCH) {
      flushForeign();
    }
  }

  /** Whether a ring has passed it on, rather than a copy: see {@link RingOutput}. */
  private static boolean passedOn(long packet) {
    return (Memory.getLongNative(packet + MbufLayout.OL_FLAGS) & MbufFlags.TX_TCP_CHECKSUM) != 0;
  }

  /** Returns released packets of other pools now instead of waiting until a batch is full. */
  void flushForeign() {
    if (foreigners > 0) {
      Mempool.free(foreign, foreigners);
      foreigners = 0;
    }
  }

  private void giveBack(int count) {
    for (int i = 0; i < count; i++) {
      Memory.putLongNative(batch + (long) i * PTR, free[--kept]);
    }
    Mempool.free(batch, count);
  }

  /** Returns all free buffers to the mempool. Call before the mempool is closed. */
  void clear() {
    while (kept > 0) {
      giveBack(Math.min(kept, BATCH));
    }
    flushForeign();
  }

  /**
   * Copies a chain of buffers into one packet and releases the chain.
   *
   * @return the packet, or 0 if the chain does not fit or no packet is available
   */
  long linearise(long chain) {
    int length = Memory.getIntNative(chain + MbufLayout.PKT_LEN);
    long packet = length <= room() ? allocate() : length <= longRoom() ? allocateLong() : 0;
    if (packet != 0) {
      long to = address(packet);
      window(packet, to, length);
      // The port's flags for the frame are in the first buffer.
      Memory.putLongNative(
          packet + MbufLayout.OL_FLAGS, Memory.getLongNative(chain + MbufLayout.OL_FLAGS));
      for (long part = chain; part != 0; part = Memory.getLongNative(part + MbufLayout.NEXT)) {
        Memory.copy(address(part), to, length(part));
        to += length(part);
      }
    }
    Mempool.free(chain);
    return packet;
  }

  @Override
  public boolean shared(long packet) {
    return references(packet) > 1;
  }

  @Override
  public long address(long packet) {
    return start(packet) + Memory.getShortNative(packet + MbufLayout.DATA_OFF);
  }

  @Override
  public int length(long packet) {
    return Memory.getShortNative(packet + MbufLayout.DATA_LEN);
  }

  @Override
  public void window(long packet, long address, int length) {
    Memory.putShortNative(packet + MbufLayout.DATA_OFF, (int) (address - start(packet)));
    length(packet, length);
  }

  private static void length(long packet, int length) {
    Memory.putShortNative(packet + MbufLayout.DATA_LEN, length);
    Memory.putIntNative(packet + MbufLayout.PKT_LEN, length);
  }

  @Override
  public long start(long packet) {
    return Memory.getLongNative(packet + MbufLayout.BUF_ADDR);
  }

  @Override
  public long end(long packet) {
    return start(packet) + Memory.getShortNative(packet + MbufLayout.BUF_LEN);
  }

  @Override
  public int room() {
    return mempool.dataRoom() - MbufLayout.HEADROOM;
  }

  /**
   * {@inheritDoc} Takes microseconds, since it walks all of the mempool's caches; do not call it
   * for every packet.
   */
  @Override
  public int available() {
    return kept + mempool.available();
  }

  @Override
  public int capacity() {
    return mempool.buffers();
  }

  private static int references(long packet) {
    return Memory.getShortAcquireNative(packet + MbufLayout.REFCNT);
  }

  private static void references(long packet, int count) {
    Memory.putShortNative(packet + MbufLayout.REFCNT, count);
  }
}
