package org.rddp.ip;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.rddp.snapshot.Snapshot;

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

  private final long last;

  /** Before the first packet; more for one who goes on beyond numbers that another may use. */
  private long first;

  /** The last number that may be used, for another one goes on behind it; otherwise the last. */
  private volatile long limit;

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
    limit = last;
  }

  /** Takes the next number for a packet; {@link #NONE} if none is left. */
  long next() {
    while (true) {
      long taken = sequence;
      if (Long.compareUnsigned(taken, limit) >= 0) {
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

  /**
   * The numbers with which a successor goes on: those behind the {@code ahead} next ones, which
   * remain to these. So no number is used twice, however long this one goes on to send.
   */
  private SentNumbers beyond(long ahead) {
    long used = sequence;
    long left = last - used;
    long reserved = Long.compareUnsigned(ahead, left) < 0 ? ahead : left;
    limit = used + reserved;
    SentNumbers next = new SentNumbers(last == LAST_OF_64_BITS, limit);
    next.first = first + reserved;
    next.octets = octets;
    return next;
  }

  /** Uses the numbers of a successor that will never use them. */
  void resume() {
    limit = last;
  }

  /**
   * Transfers numbers. What has been written may use {@code ahead} further ones itself, and then no
   * more until it {@linkplain #resume resumes}; what is read goes on behind these. Numbers that end
   * before that are used up.
   *
   * @param written null if numbers are read
   * @param esn whether they have 64 bits
   */
  static SentNumbers transfer(Snapshot snapshot, SentNumbers written, boolean esn, long ahead) {
    SentNumbers numbers = written == null ? new SentNumbers(esn, 0) : written.beyond(ahead);
    snapshot.begin(SentNumbers.class);
    numbers.first = snapshot.number("first", numbers.first);
    numbers.sequence = snapshot.number("sequence", numbers.sequence);
    numbers.octets = snapshot.number("octets", numbers.octets);
    snapshot.end();
    if (Long.compareUnsigned(numbers.sequence, numbers.last) > 0) {
      throw snapshot.wrong("number " + Long.toUnsignedString(numbers.sequence) + " has 33 bits");
    }
    return numbers;
  }

  /** Numbers that are left, unsigned. */
  long left() {
    return last - sequence;
  }
}
