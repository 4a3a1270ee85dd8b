package org.rddp.ip;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The sequence numbers of an association that we send on, and what it has carried. All stacks of
 * the interface share them: each packet gets the next number, and none gets one again (RFC 4303
 * section 3.3.3). Thread-safe.
 */
final class SentNumbers {
  /** No number is left. */
  static final long NONE = 0;

  private static final long LAST_OF_32_BITS = 0xffff_ffffL;
  private static final long LAST_OF_64_BITS = -1L;
  private static final VarHandle SEQUENCE;
  private static final VarHandle OCTETS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      SEQUENCE = lookup.findVarHandle(SentNumbers.class, "sequence", long.class);
      OCTETS = lookup.findVarHandle(SentNumbers.class, "octets", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long first;
  private final long last;
  private volatile long sequence;
  private volatile long octets;

  /**
   * Creates numbers.
   *
   * @param esn whether they have 64 bits
   * @param used the last one that was used before; 0 for none
   */
  SentNumbers(boolean esn, long used) {
    first = used;
    sequence = used;
    last = esn ? LAST_OF_64_BITS : LAST_OF_32_BITS;
  }

  /** Takes the next number for a packet; {@link #NONE} if none is left. */
  long next() {
    while (true) {
      long taken = sequence;
      if (taken == last) {
        return NONE;
      }
      if (SEQUENCE.compareAndSet(this, taken, taken + 1)) {
        return taken + 1;
      }
    }
  }

  /** Counts a packet's payload. */
  void count(int payload) {
    long ignored = (long) OCTETS.getAndAdd(this, (long) payload);
  }

  /** The number of the last packet; that of {@code used} before the first one. */
  long sequence() {
    return sequence;
  }

  /** Packets sent. */
  long packets() {
    return sequence - first;
  }

  /** Octets of payload sent. */
  long octets() {
    return octets;
  }

  /** Numbers that are left, unsigned. */
  long left() {
    return last - sequence;
  }
}
