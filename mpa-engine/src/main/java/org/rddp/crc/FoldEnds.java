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
 * Puts the two ends of a message where {@link Fold} and the intrinsic find whole windows and
 * blocks: its first vectors behind zeros, with the CRC of what came before in them, and its odd
 * octets behind zeros too.
 *
 * <p>Both methods are one straight line, so large that HotSpot calls them rather than making them a
 * part of their callers: a method with wide vectors in it has to clean their registers up whenever
 * it returns, which {@link VectorCrc32c#update} would have to do for the shortest messages too.
 */
final class FoldEnds {
  private FoldEnds() {}

  /**
   * Puts the ends of a message that is folded where it lies.
   *
   * @param crc of everything before the message
   * @param address of the message
   * @param length octets of the message
   * @param inHead octets of its first vectors, 1 to 11 of them
   * @param head where they go, a window
   * @param rest where the last window and the odd octets go: the first vector is zeros, the odd
   *     octets end the twelfth
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
   * The same for a message that is copied meanwhile: its ends are taken from it once.
   *
   * @param to where the message goes
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
