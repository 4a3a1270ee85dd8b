package org.rddp.crc;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.VectorOperators.XOR;
import static org.rddp.crc.FoldVectors.ALL;
import static org.rddp.crc.FoldVectors.SPECIES;
import static org.rddp.crc.FoldVectors.VECTOR;
import static org.rddp.crc.FoldVectors.WINDOW;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;

/**
 * Copies the two ends of a message so that {@link Fold} and the intrinsic process whole windows and
 * blocks: the first vectors after zeros, with the CRC so far XORed into them, and the odd octets
 * after zeros.
 *
 * <p>Both methods are unrolled and so large that HotSpot does not inline them: a method with wide
 * vectors must clear the upper register halves when it returns, and {@link VectorCrc32c#update}
 * would have to do so for the shortest messages, too.
 */
final class FoldEnds {
  private FoldEnds() {}

  /**
   * Copies the ends of a message that is folded in place.
   *
   * @param crc the CRC of everything before the message
   * @param address of the message
   * @param length octets of the message
   * @param inHead octets of its first vectors, 1 to 11 vectors
   * @param head receives them, a window
   * @param rest receives the odd octets: the first vector is zeros, and the odd octets end the
   *     twelfth; the last window goes before them
   */
  static void put(int crc, long address, long length, long inHead, long head, long rest) {
    ByteVector zero = ByteVector.zero(SPECIES);
    long zeros = WINDOW - inHead;
    long at = address - zeros;
    if (zeros >= 0) {
      zero.intoMemorySegment(ALL, head, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head, LITTLE_ENDIAN);
    }
    if (zeros >= 64) {
      zero.intoMemorySegment(ALL, head + 64, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 64, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 64, LITTLE_ENDIAN);
    }
    if (zeros >= 128) {
      zero.intoMemorySegment(ALL, head + 128, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 128, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 128, LITTLE_ENDIAN);
    }
    if (zeros >= 192) {
      zero.intoMemorySegment(ALL, head + 192, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 192, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 192, LITTLE_ENDIAN);
    }
    if (zeros >= 256) {
      zero.intoMemorySegment(ALL, head + 256, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 256, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 256, LITTLE_ENDIAN);
    }
    if (zeros >= 320) {
      zero.intoMemorySegment(ALL, head + 320, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 320, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 320, LITTLE_ENDIAN);
    }
    if (zeros >= 384) {
      zero.intoMemorySegment(ALL, head + 384, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 384, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 384, LITTLE_ENDIAN);
    }
    if (zeros >= 448) {
      zero.intoMemorySegment(ALL, head + 448, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 448, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 448, LITTLE_ENDIAN);
    }
    if (zeros >= 512) {
      zero.intoMemorySegment(ALL, head + 512, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 512, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 512, LITTLE_ENDIAN);
    }
    if (zeros >= 576) {
      zero.intoMemorySegment(ALL, head + 576, LITTLE_ENDIAN);
    } else {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 576, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 576, LITTLE_ENDIAN);
    }
    if (zeros < 640) {
      ByteVector.fromMemorySegment(SPECIES, ALL, at + 640, LITTLE_ENDIAN)
          .intoMemorySegment(ALL, head + 640, LITTLE_ENDIAN);
    }
    ByteVector.fromMemorySegment(SPECIES, ALL, address, LITTLE_ENDIAN)
        .lanewise(XOR, IntVector.zero(IntVector.SPECIES_512).withLane(0, ~crc).reinterpretAsBytes())
        .intoMemorySegment(ALL, head + zeros, LITTLE_ENDIAN);
    zero.intoMemorySegment(ALL, rest, LITTLE_ENDIAN);
    ByteVector.fromMemorySegment(SPECIES, ALL, address + length - VECTOR, LITTLE_ENDIAN)
        .intoMemorySegment(ALL, rest + WINDOW, LITTLE_ENDIAN);
  }

  /**
   * Copies the ends of a message that is copied in the same pass: reads its ends only once.
   *
   * @param to address to copy the message to
   */
  static void copy(int crc, long from, long to, long length, long inHead, long head, long rest) {
    ByteVector zero = ByteVector.zero(SPECIES);
    long zeros = WINDOW - inHead;
    long at = from - zeros;
    long out = to - zeros;
    if (zeros >= 0) {
      zero.intoMemorySegment(ALL, head, LITTLE_ENDIAN);
    } else {
      ByteVector in0 = ByteVector.fromMemorySegment(SPECIES, ALL, at, LITTLE_ENDIAN);
      in0.intoMemorySegment(ALL, out, LITTLE_ENDIAN);
      in0.intoMemorySegment(ALL, head, LITTLE_ENDIAN);
    }
    if (zeros >= 64) {
      zero.intoMemorySegment(ALL, head + 64, LITTLE_ENDIAN);
    } else {
      ByteVector in1 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 64, LITTLE_ENDIAN);
      in1.intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
      in1.intoMemorySegment(ALL, head + 64, LITTLE_ENDIAN);
    }
    if (zeros >= 128) {
      zero.intoMemorySegment(ALL, head + 128, LITTLE_ENDIAN);
    } else {
      ByteVector in2 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 128, LITTLE_ENDIAN);
      in2.intoMemorySegment(ALL, out + 128, LITTLE_ENDIAN);
      in2.intoMemorySegment(ALL, head + 128, LITTLE_ENDIAN);
    }
    if (zeros >= 192) {
      zero.intoMemorySegment(ALL, head + 192, LITTLE_ENDIAN);
    } else {
      ByteVector in3 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 192, LITTLE_ENDIAN);
      in3.intoMemorySegment(ALL, out + 192, LITTLE_ENDIAN);
      in3.intoMemorySegment(ALL, head + 192, LITTLE_ENDIAN);
    }
    if (zeros >= 256) {
      zero.intoMemorySegment(ALL, head + 256, LITTLE_ENDIAN);
    } else {
      ByteVector in4 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 256, LITTLE_ENDIAN);
      in4.intoMemorySegment(ALL, out + 256, LITTLE_ENDIAN);
      in4.intoMemorySegment(ALL, head + 256, LITTLE_ENDIAN);
    }
    if (zeros >= 320) {
      zero.intoMemorySegment(ALL, head + 320, LITTLE_ENDIAN);
    } else {
      ByteVector in5 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 320, LITTLE_ENDIAN);
      in5.intoMemorySegment(ALL, out + 320, LITTLE_ENDIAN);
      in5.intoMemorySegment(ALL, head + 320, LITTLE_ENDIAN);
    }
    if (zeros >= 384) {
      zero.intoMemorySegment(ALL, head + 384, LITTLE_ENDIAN);
    } else {
      ByteVector in6 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 384, LITTLE_ENDIAN);
      in6.intoMemorySegment(ALL, out + 384, LITTLE_ENDIAN);
      in6.intoMemorySegment(ALL, head + 384, LITTLE_ENDIAN);
    }
    if (zeros >= 448) {
      zero.intoMemorySegment(ALL, head + 448, LITTLE_ENDIAN);
    } else {
      ByteVector in7 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 448, LITTLE_ENDIAN);
      in7.intoMemorySegment(ALL, out + 448, LITTLE_ENDIAN);
      in7.intoMemorySegment(ALL, head + 448, LITTLE_ENDIAN);
    }
    if (zeros >= 512) {
      zero.intoMemorySegment(ALL, head + 512, LITTLE_ENDIAN);
    } else {
      ByteVector in8 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 512, LITTLE_ENDIAN);
      in8.intoMemorySegment(ALL, out + 512, LITTLE_ENDIAN);
      in8.intoMemorySegment(ALL, head + 512, LITTLE_ENDIAN);
    }
    if (zeros >= 576) {
      zero.intoMemorySegment(ALL, head + 576, LITTLE_ENDIAN);
    } else {
      ByteVector in9 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 576, LITTLE_ENDIAN);
      in9.intoMemorySegment(ALL, out + 576, LITTLE_ENDIAN);
      in9.intoMemorySegment(ALL, head + 576, LITTLE_ENDIAN);
    }
    if (zeros < 640) {
      ByteVector in10 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 640, LITTLE_ENDIAN);
      in10.intoMemorySegment(ALL, out + 640, LITTLE_ENDIAN);
      in10.intoMemorySegment(ALL, head + 640, LITTLE_ENDIAN);
    }
    ByteVector first = ByteVector.fromMemorySegment(SPECIES, ALL, from, LITTLE_ENDIAN);
    first.intoMemorySegment(ALL, to, LITTLE_ENDIAN);
    first
        .lanewise(XOR, IntVector.zero(IntVector.SPECIES_512).withLane(0, ~crc).reinterpretAsBytes())
        .intoMemorySegment(ALL, head + zeros, LITTLE_ENDIAN);
    zero.intoMemorySegment(ALL, rest, LITTLE_ENDIAN);
    ByteVector odd =
        ByteVector.fromMemorySegment(SPECIES, ALL, from + length - VECTOR, LITTLE_ENDIAN);
    odd.intoMemorySegment(ALL, to + length - VECTOR, LITTLE_ENDIAN);
    odd.intoMemorySegment(ALL, rest + WINDOW, LITTLE_ENDIAN);
  }
}
