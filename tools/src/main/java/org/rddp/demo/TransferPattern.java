package org.rddp.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Octets computed from a seed and their offset: the sink computes them again to compare, so that
 * source and sink share nothing but the wire.
 */
public final class TransferPattern {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final long seed;

  /** The pattern of a seed. */
  public TransferPattern(long seed) {
    this.seed = seed;
  }

  /** Fills memory with the pattern's octets from an offset on, which is a multiple of 8. */
  public void fill(MemorySegment memory, long offset) {
    long whole = memory.byteSize() & -Long.BYTES;
    for (long at = 0; at < whole; at += Long.BYTES) {
      memory.set(WORD, at, word(offset + at));
    }
    for (long at = whole; at < memory.byteSize(); at++) {
      memory.set(ValueLayout.JAVA_BYTE, at, octet(offset + at));
    }
  }

  /**
   * Compares memory with the pattern from an offset on, which is a multiple of 8.
   *
   * @return offset of the first wrong octet in the memory, or -1
   */
  public long mismatch(MemorySegment memory, long offset) {
    long whole = memory.byteSize() & -Long.BYTES;
    for (long at = 0; at < whole; at += Long.BYTES) {
      if (memory.get(WORD, at) != word(offset + at)) {
        return firstWrong(memory, at, at + Long.BYTES, offset);
      }
    }
    return firstWrong(memory, whole, memory.byteSize(), offset);
  }

  private long firstWrong(MemorySegment memory, long from, long to, long offset) {
    for (long at = from; at < to; at++) {
      if (memory.get(ValueLayout.JAVA_BYTE, at) != octet(offset + at)) {
        return at;
      }
    }
    return -1;
  }

  private byte octet(long offset) {
    int shift = Byte.SIZE * (int) (offset & (Long.BYTES - 1));
    return (byte) (word(offset & -Long.BYTES) >>> shift);
  }

  /** The eight octets from an offset on: SplitMix64 of Steele, Lea and Flood. */
  private long word(long offset) {
    long mixed = seed + 0x9e37_79b9_7f4a_7c15L * (offset >>> 3);
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
