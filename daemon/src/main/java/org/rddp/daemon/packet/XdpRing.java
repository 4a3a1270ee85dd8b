package org.rddp.daemon.packet;

import org.rddp.wire.Memory;

/**
 * A ring that an AF_XDP socket shares with the kernel (af_xdp.rst), for one thread. In a ring that
 * we fill, entries are free until the kernel has taken them; in the others, there are entries until
 * we have taken them.
 */
final class XdpRing {
  private static final int NEED_WAKEUP = 1;

  private final long producer;
  private final long consumer;
  private final long flags;
  private final long entries;
  private final int entry;
  private final int size;

  /** Our position: of the next entry that we write, or read. */
  private int position;

  /** How far the kernel was at the last look. */
  private int kernel;

  /**
   * Wraps a mapped ring that nobody has used.
   *
   * @param offsets address of its {@code struct xdp_ring_offset}
   * @param mapping address of the mapping
   * @param entry octets of an entry
   * @param size number of entries, a power of two
   */
  XdpRing(long offsets, long mapping, int entry, int size) {
    producer = mapping + Memory.getLongNative(offsets);
    consumer = mapping + Memory.getLongNative(offsets + Long.BYTES);
    entries = mapping + Memory.getLongNative(offsets + 2L * Long.BYTES);
    flags = mapping + Memory.getLongNative(offsets + 3L * Long.BYTES);
    this.entry = entry;
    this.size = size;
  }

  // ---- Rings that the kernel fills ----

  /** How many entries there are for us, at most so many. */
  int available(int most) {
    if (kernel - position < most) {
      kernel = Memory.getIntAcquireNative(producer);
    }
    return Math.min(kernel - position, most);
  }

  /** Gives the kernel the entries before the {@linkplain #take next one}. */
  void taken() {
    Memory.putIntReleaseNative(consumer, position);
  }

  // ---- Rings that we fill ----

  /** How many entries are free, at most so many. */
  int free(int most) {
    if (size - (position - kernel) < most) {
      kernel = Memory.getIntAcquireNative(consumer);
    }
    return Math.min(size - (position - kernel), most);
  }

  /** Lets the kernel see the entries before the {@linkplain #take next one}. */
  void filled() {
    Memory.putIntReleaseNative(producer, position);
  }

  /** Whether the kernel has taken all entries, as of now. */
  boolean isEmpty() {
    kernel = Memory.getIntAcquireNative(consumer);
    return kernel == position;
  }

  /** Whether the kernel goes on with the ring only after a system call. */
  boolean needsWakeUp() {
    return (Memory.getIntAcquireNative(flags) & NEED_WAKEUP) != 0;
  }

  // ---- Both ----

  /** The address of the next entry, which the caller reads or writes now. */
  long take() {
    return entries + (long) (position++ & size - 1) * entry;
  }
}
