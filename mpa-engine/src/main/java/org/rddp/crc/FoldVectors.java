package org.rddp.crc;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

/**
 * What the folding of a message by XORs is made of.
 *
 * <p>Where {@code M = x^(8*690) + x^(8*(690-128)) + x^(8*(690-453)) + x^(8*(690-487)) +
 * x^(8*(690-576)) + 1} is a multiple of the CRC's polynomial, an octet may be removed from a
 * message if it is XORed into those 128, 453, 487, 576 and 690 octets behind it: the message has
 * changed by a multiple of M and its remainder not at all. All distances are longer than a vector,
 * so whole vectors can be removed at once. 128 and 576 octets are whole vectors; the others are a
 * shift of two neighbouring vectors each.
 *
 * <p>Needs the module {@code jdk.incubator.vector}: only touched once that is known to be there.
 */
final class FoldVectors {
  /** Octets of a vector. */
  static final int VECTOR = 64;

  /** The longest distance in whole vectors, in octets: what is left of a message. */
  static final int WINDOW = 11 * VECTOR;

  static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_512;

  /** All memory, as {@link org.rddp.wire.Memory} has it. */
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /**
   * {@code (ByteVector indexes, ByteVector first, ByteVector second) -> ByteVector}: the octets of
   * two vectors that the indexes name, one instruction. The method is there from Java 24 on, later
   * than the release that we compile for; null before.
   */
  static final MethodHandle SHIFTED = selectFromTwo();

  /** The octets 690 before a vector's, out of the eleventh and tenth vector before it. */
  static final ByteVector BY_690 = from(11 * VECTOR - 690);

  /** The octets 487 before a vector's, out of the eighth and seventh vector before it. */
  static final ByteVector BY_487 = from(8 * VECTOR - 487);

  /** The octets 453 before a vector's, out of the eighth and seventh vector before it. */
  static final ByteVector BY_453 = from(8 * VECTOR - 453);

  private FoldVectors() {}

  /** Whether this JVM turns 512-bit vectors, and their shifts, into instructions. */
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

  /** Indexes of the 64 octets that begin at {@code offset} of the first of two vectors. */
  private static ByteVector from(int offset) {
    byte[] indexes = new byte[VECTOR];
    for (int lane = 0; lane < VECTOR; lane++) {
      indexes[lane] = (byte) (offset + lane);
    }
    return ByteVector.fromArray(SPECIES, indexes, 0);
  }
}
