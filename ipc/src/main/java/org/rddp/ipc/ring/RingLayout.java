package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The layout of the memory of a session's rings.
 *
 * <p>The header is followed by words of either end, two cache lines apart so that adjacent-line
 * prefetch does not make them share one (except those of waiting threads, which change rarely),
 * then by the slots of the submission ring and of the completion ring. A slot has 64 octets and
 * begins with its state word: in the first slot of an entry the lap of the ring that it was written
 * in, which is never zero; in further slots zero. The state word is stored last, with release; the
 * reader owns the entry when it reads the expected lap with acquire. So slots need not be cleared,
 * and no length must be trusted.
 */
public final class RingLayout {
  static final String MAGIC = "RDDPRING";
  static final int VERSION = 6;

  /** Octets of a slot, the state word included. */
  static final int SLOT = 64;

  /** Submission slots that the daemon has taken; the daemon writes it. */
  static final int TAKEN = 128;

  /** Completions that the program has read; the program writes it. */
  static final int READ = 256;

  /** 1 while the program asks to be woken; the program sets it, the daemon clears it. */
  static final int WAITING = 384;

  /**
   * 1 while the daemon's thread sleeps and a post must wake it; the daemon sets and clears it; the
   * program that wakes the daemon clears it, too.
   */
  static final int SLEEPING = 448;

  /** 1 if {@link #SLEEPING} is ever set; constant. */
  static final int SLEEPS = 452;

  /** The processor that the daemon's thread was last seen on, from 1 on; 0: not known. */
  static final int PROCESSOR = 456;

  /** The first slot. */
  static final int SLOTS = 512;

  /** The largest ring. */
  static final int MAX_SLOTS = 1 << 20;

  /**
   * All memory, for the daemon, which uses addresses: a constant, so that HotSpot removes the
   * checks of an access.
   */
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private RingLayout() {}

  static long octets(int submissionSlots, int completionSlots) {
    checkSlots(submissionSlots);
    checkSlots(completionSlots);
    return SLOTS + (long) SLOT * submissionSlots + (long) SLOT * completionSlots;
  }

  static void checkSlots(int slots) {
    if (slots < WorkRequest.MAX_SLOTS || slots > MAX_SLOTS || Integer.bitCount(slots) != 1) {
      throw new IllegalArgumentException(
          "slots of a ring: " + slots + ", must be a power of two from 4 to " + MAX_SLOTS);
    }
  }

  /** The state word of the entry at a position of a ring that has {@code 1 << shift} slots. */
  static int lap(long position, int shift) {
    return (int) (position >>> shift) | 0x8000_0000;
  }

  /** Offset of a slot of the submission ring in the memory. */
  static long submissionSlot(long position, int slots) {
    return SLOTS + (position & (slots - 1L)) * SLOT;
  }

  /** Reads a word once that the program may write at any time. */
  static int getIntOnce(long address) {
    return (int) INT.getOpaque(ALL, address);
  }

  /** Reads a word once that the program may write at any time. */
  static long getLongOnce(long address) {
    return (long) LONG.getOpaque(ALL, address);
  }

  public static int getInt(MemorySegment memory, long offset) {
    return memory.get(ValueLayout.JAVA_INT, offset);
  }

  static void putInt(MemorySegment memory, long offset, int value) {
    memory.set(ValueLayout.JAVA_INT, offset, value);
  }

  public static long getLong(MemorySegment memory, long offset) {
    return memory.get(ValueLayout.JAVA_LONG, offset);
  }

  static void putLong(MemorySegment memory, long offset, long value) {
    memory.set(ValueLayout.JAVA_LONG, offset, value);
  }
}
