package org.rddp.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums long runs of memory by vectors, for {@link Checksum}. HotSpot makes vectors of a plain loop
 * as well, but not wherever the loop is inlined: the same 1500 octets then take 25 ns here and 100
 * there.
 *
 * <p>Needs the module {@code jdk.incubator.vector}: only touched once that is known to be there.
 */
final class VectorChecksum {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
  private static final int VECTOR = SPECIES.vectorByteSize();

  private VectorChecksum() {}

  /**
   * Whether this JVM has vectors that are worth it, more than two 64-bit numbers in each; and none
   * that a long run may not be whole ones of.
   */
  static boolean available() {
    return VECTOR >= 32 && VECTOR <= 128;
  }

  /** Octets of a vector, a power of two: {@link #sum} takes multiples of it. */
  static int vector() {
    return VECTOR;
  }

  /**
   * The 32-bit words, in the machine's order, added up.
   *
   * <p>64-bit words are added up whole, and their upper halves once more by themselves: what the
   * lower halves come to is the difference, so that nobody has to take these out of each word.
   *
   * <p>Unrolled by hand, which also makes the method too large to be inlined: so it is compiled by
   * itself, where no vector is ever left an object because HotSpot has inlined enough already.
   *
   * @param octets how many, a multiple of {@link #vector()}, up to 65535
   */
  static long sum(long address, int octets) {
    ByteOrder order = ByteOrder.nativeOrder();
    LongVector even = LongVector.zero(SPECIES);
    LongVector odd = LongVector.zero(SPECIES);
    LongVector evenUpper = LongVector.zero(SPECIES);
    LongVector oddUpper = LongVector.zero(SPECIES);
    long at = address;
    for (int i = octets / (8 * VECTOR); i > 0; i--) {
      LongVector first = LongVector.fromMemorySegment(SPECIES, ALL, at, order);
      LongVector second = LongVector.fromMemorySegment(SPECIES, ALL, at + VECTOR, order);
      LongVector third = LongVector.fromMemorySegment(SPECIES, ALL, at + 2L * VECTOR, order);
      LongVector fourth = LongVector.fromMemorySegment(SPECIES, ALL, at + 3L * VECTOR, order);
      even = even.add(first).add(third);
      evenUpper =
          evenUpper
              .add(first.lanewise(VectorOperators.LSHR, 32))
              .add(third.lanewise(VectorOperators.LSHR, 32));
      odd = odd.add(second).add(fourth);
      oddUpper =
          oddUpper
              .add(second.lanewise(VectorOperators.LSHR, 32))
              .add(fourth.lanewise(VectorOperators.LSHR, 32));
      first = LongVector.fromMemorySegment(SPECIES, ALL, at + 4L * VECTOR, order);
      second = LongVector.fromMemorySegment(SPECIES, ALL, at + 5L * VECTOR, order);
      third = LongVector.fromMemorySegment(SPECIES, ALL, at + 6L * VECTOR, order);
      fourth = LongVector.fromMemorySegment(SPECIES, ALL, at + 7L * VECTOR, order);
      even = even.add(first).add(third);
      evenUpper =
          evenUpper
              .add(first.lanewise(VectorOperators.LSHR, 32))
              .add(third.lanewise(VectorOperators.LSHR, 32));
      odd = odd.add(second).add(fourth);
      oddUpper =
          oddUpper
              .add(second.lanewise(VectorOperators.LSHR, 32))
              .add(fourth.lanewise(VectorOperators.LSHR, 32));
      at += 8L * VECTOR;
    }
    if ((octets & 4 * VECTOR) != 0) {
      LongVector first = LongVector.fromMemorySegment(SPECIES, ALL, at, order);
      LongVector second = LongVector.fromMemorySegment(SPECIES, ALL, at + VECTOR, order);
      LongVector third = LongVector.fromMemorySegment(SPECIES, ALL, at + 2L * VECTOR, order);
      LongVector fourth = LongVector.fromMemorySegment(SPECIES, ALL, at + 3L * VECTOR, order);
      even = even.add(first).add(third);
      evenUpper =
          evenUpper
              .add(first.lanewise(VectorOperators.LSHR, 32))
              .add(third.lanewise(VectorOperators.LSHR, 32));
      odd = odd.add(second).add(fourth);
      oddUpper =
          oddUpper
              .add(second.lanewise(VectorOperators.LSHR, 32))
              .add(fourth.lanewise(VectorOperators.LSHR, 32));
      at += 4L * VECTOR;
    }
    if ((octets & 2 * VECTOR) != 0) {
      LongVector first = LongVector.fromMemorySegment(SPECIES, ALL, at, order);
      LongVector second = LongVector.fromMemorySegment(SPECIES, ALL, at + VECTOR, order);
      even = even.add(first);
      evenUpper = evenUpper.add(first.lanewise(VectorOperators.LSHR, 32));
      odd = odd.add(second);
      oddUpper = oddUpper.add(second.lanewise(VectorOperators.LSHR, 32));
      at += 2L * VECTOR;
    }
    if ((octets & VECTOR) != 0) {
      LongVector last = LongVector.fromMemorySegment(SPECIES, ALL, at, order);
      even = even.add(last);
      evenUpper = evenUpper.add(last.lanewise(VectorOperators.LSHR, 32));
    }
    LongVector upper = evenUpper.add(oddUpper);
    LongVector lower = even.add(odd).sub(upper.lanewise(VectorOperators.LSHL, 32));
    return lower.add(upper).reduceLanes(VectorOperators.ADD);
  }
}
