package org.rddp.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Slots of a memory into which messages are written in turn. Each message carries a mark in its
 * first and its last octet, which shows the owner of the memory that it has arrived. A slot must
 * not be used again before its message has been answered. Neither blocks nor allocates.
 */
public final class MarkedSlots {
  private static final VarHandle OCTET = ValueLayout.JAVA_BYTE.varHandle();
  private static final int CACHE_LINE = 64;

  /** Marks are 1 to 255: zeroed memory has none. */
  private static final int MARKS = 255;

  private final int size;
  private final int count;
  private final long stride;

  /**
   * Slots for messages.
   *
   * @param size octets of a message, 1 or more
   * @param count of slots, 1 or more
   */
  public MarkedSlots(int size, int count) {
    this.size = size;
    this.count = count;
    stride = (long) size + CACHE_LINE - 1 & -CACHE_LINE;
  }

  /** Octets of all slots. */
  public long octets() {
    return stride * count;
  }

  /** The offset of a message's slot. */
  public long at(long number) {
    return number % count * stride;
  }

  private byte mark(long number) {
    return (byte) (1 + number / count % MARKS);
  }

  /** Marks a message before it is written. */
  public void mark(MemorySegment memory, long number) {
    long at = at(number);
    OCTET.set(memory, at, mark(number));
    OCTET.set(memory, at + size - 1, mark(number));
  }

  /** Whether a message has arrived. */
  public boolean hasArrived(MemorySegment memory, long number) {
    long at = at(number);
    return (byte) OCTET.getAcquire(memory, at + size - 1) == mark(number)
        && (byte) OCTET.getAcquire(memory, at) == mark(number);
  }
}
