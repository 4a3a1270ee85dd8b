package org.rddp.crc;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vectors and distances for folding a message by XORs.
 *
 * <p>Where {@code M = x^(8*690) + x^(8*(690-128)) + x^(8*(690-453)) + x^(8*(690-487)) +
 * x^(8*(690-576)) + 1} is a multiple of the CRC's polynomial, an octet may be removed from a
 * message if it is XORed into those 128, 453, 487, 576 and 690 octets after it: the message changes
 * by a multiple of M, and its remainder does not change. All distances are longer than a vector, so
 * whole vectors can be removed at once. 128 and 576 octets are whole vectors; the others are a
 * shift of two neighbouring vectors each.
 *
 * <p>Needs the module {@code jdk.incubator.vector}; must only be loaded if that is present.
 */
final class FoldVectors {
  /** Octets of a vector. */
  static final int VECTOR = 64;

  /**
   * The longest distance, rounded up to whole vectors, in octets: the part of a message that
   * remains.
   */
  static final int WINDOW = 11 * VECTOR;

  static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_512;

  /** All memory, as in {@link org.rddp.wire.Memory}. */
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /**
   * {@code (ByteVector indexes, ByteVector first, ByteVector second) -> ByteVector}: selects octets
   * of two vectors by index, in one instruction. The method exists since Java 24, later than the
   * release that we compile for; null before.
   */
  static final MethodHandle SHIFTED = selectFromTwo();

  /** Selects the octets 690 before a vector from the eleventh and tenth vector before it. */
  static final ByteVector BY_690 = from(11 * VECTOR - 690);

  /** Selects the octets 487 before a vector from the eighth and seventh vector before it. */
  static final ByteVector BY_487 = from(8 * VECTOR - 487);

  /** Selects the octets 453 before a vector from the eighth and seventh vector before it. */
  static final ByteVector BY_453 = from(8 * VECTOR - 453);

  private FoldVectors() {}

  /** Whether this JVM compiles 512-bit vectors and their shifts to instructions. */
  static boolean available() {
    return SHIFTED != null && ByteVector.SPECIES_PREFERRED.length() == VECTOR;
  }

  private static MethodHandle selectFromTwo() {
    try {
      return MethodHandles.lookup()
          .findVirtual(
              ByteVector.class,
              "selectFrom",
              MethodType.methodType(ByteVector.class, Vector.class, Vector.class))
          .asType(
              MethodType.methodType(
                  ByteVector.class, ByteVector.class, ByteVector.class, ByteVector.class));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return null;
    }
  }

  /** Indexes of the 64 octets from {@code offset} of the first of two vectors on. */
  private static ByteVector from(int offset) {
    byte[] indexes = new byte[VECTOR];
    for (int lane = 0; lane < VECTOR; lane++) {
      indexes[lane] = (byte) (offset + lane);
    }
    return ByteVector.fromArray(SPECIES, indexes, 0);
  }
}
