package org.rddp.crc;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.VectorOperators.XOR;
import static org.rddp.crc.FoldVectors.ALL;
import static org.rddp.crc.FoldVectors.BY_453;
import static org.rddp.crc.FoldVectors.BY_487;
import static org.rddp.crc.FoldVectors.BY_690;
import static org.rddp.crc.FoldVectors.SHIFTED;
import static org.rddp.crc.FoldVectors.SPECIES;
import static org.rddp.crc.FoldVectors.WINDOW;

import jdk.incubator.vector.ByteVector;

/**
 * Copies and folds (see {@link Fold}) in one pass: each vector is loaded once, stored and folded,
 * so the CRC is that of the octets at the destination even if another thread writes to the source.
 *
 * <p>Unrolled like {@link Fold} for the same reasons; the last window is stored before it is
 * folded. The two ranges must not overlap.
 */
final class CopyingFold {
  private CopyingFold() {}

  /**
   * Consumes whole windows: one at {@code head}, then those from {@code from} to {@code end}.
   *
   * @param head a window that may begin with zeros, which do not change the result
   * @param from address of the next octets
   * @param end {@code from} plus a number of whole windows, 0 or more
   * @param history receives the vectors consumed last, {@link FoldVectors#WINDOW} octets
   * @param to address to copy the octets at {@code from} to
   */
  static void consume(long head, long from, long end, long history, long to) throws Throwable {
    ByteVector zero = ByteVector.zero(SPECIES);
    ByteVector v0 = zero;
    ByteVector v1 = zero;
    ByteVector v2 = zero;
    ByteVector v3 = zero;
    ByteVector v4 = zero;
    ByteVector v5 = zero;
    ByteVector v6 = zero;
    ByteVector v7 = zero;
    ByteVector v8 = zero;
    ByteVector v9 = zero;
    ByteVector v10 = zero;
    long at = head;
    long next = from;
    // The head has already been copied; this store is overwritten later.
    long out = history;
    long nextOut = to;
    while (true) {
      ByteVector in0 = ByteVector.fromMemorySegment(SPECIES, ALL, at, LITTLE_ENDIAN);
      in0.intoMemorySegment(ALL, out, LITTLE_ENDIAN);
      v0 =
          in0.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v0, v1))
              .lanewise(XOR, v2)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v3, v4))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v3, v4))
              .lanewise(XOR, v9);
      ByteVector in1 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 64, LITTLE_ENDIAN);
      in1.intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
      v1 =
          in1.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v1, v2))
              .lanewise(XOR, v3)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v4, v5))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v4, v5))
              .lanewise(XOR, v10);
      ByteVector in2 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 128, LITTLE_ENDIAN);
      in2.intoMemorySegment(ALL, out + 128, LITTLE_ENDIAN);
      v2 =
          in2.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v2, v3))
              .lanewise(XOR, v4)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v5, v6))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v5, v6))
              .lanewise(XOR, v0);
      ByteVector in3 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 192, LITTLE_ENDIAN);
      in3.intoMemorySegment(ALL, out + 192, LITTLE_ENDIAN);
      v3 =
          in3.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v3, v4))
              .lanewise(XOR, v5)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v6, v7))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v6, v7))
              .lanewise(XOR, v1);
      ByteVector in4 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 256, LITTLE_ENDIAN);
      in4.intoMemorySegment(ALL, out + 256, LITTLE_ENDIAN);
      v4 =
          in4.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v4, v5))
              .lanewise(XOR, v6)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v7, v8))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v7, v8))
              .lanewise(XOR, v2);
      ByteVector in5 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 320, LITTLE_ENDIAN);
      in5.intoMemorySegment(ALL, out + 320, LITTLE_ENDIAN);
      v5 =
          in5.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v5, v6))
              .lanewise(XOR, v7)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v8, v9))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v8, v9))
              .lanewise(XOR, v3);
      ByteVector in6 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 384, LITTLE_ENDIAN);
      in6.intoMemorySegment(ALL, out + 384, LITTLE_ENDIAN);
      v6 =
          in6.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v6, v7))
              .lanewise(XOR, v8)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v9, v10))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v9, v10))
              .lanewise(XOR, v4);
      ByteVector in7 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 448, LITTLE_ENDIAN);
      in7.intoMemorySegment(ALL, out + 448, LITTLE_ENDIAN);
      v7 =
          in7.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v7, v8))
              .lanewise(XOR, v9)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v10, v0))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v10, v0))
              .lanewise(XOR, v5);
      ByteVector in8 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 512, LITTLE_ENDIAN);
      in8.intoMemorySegment(ALL, out + 512, LITTLE_ENDIAN);
      v8 =
          in8.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v8, v9))
              .lanewise(XOR, v10)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v0, v1))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v0, v1))
              .lanewise(XOR, v6);
      ByteVector in9 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 576, LITTLE_ENDIAN);
      in9.intoMemorySegment(ALL, out + 576, LITTLE_ENDIAN);
      v9 =
          in9.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v9, v10))
              .lanewise(XOR, v0)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v1, v2))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v1, v2))
              .lanewise(XOR, v7);
      ByteVector in10 = ByteVector.fromMemorySegment(SPECIES, ALL, at + 640, LITTLE_ENDIAN);
      in10.intoMemorySegment(ALL, out + 640, LITTLE_ENDIAN);
      v10 =
          in10.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v10, v0))
              .lanewise(XOR, v1)
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v2, v3))
              .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v2, v3))
              .lanewise(XOR, v8);
      if (next == end) {
        break;
      }
      at = next;
      next += WINDOW;
      out = nextOut;
      nextOut += WINDOW;
    }
    v0.intoMemorySegment(ALL, history, LITTLE_ENDIAN);
    v1.intoMemorySegment(ALL, history + 64, LITTLE_ENDIAN);
    v2.intoMemorySegment(ALL, history + 128, LITTLE_ENDIAN);
    v3.intoMemorySegment(ALL, history + 192, LITTLE_ENDIAN);
    v4.intoMemorySegment(ALL, history + 256, LITTLE_ENDIAN);
    v5.intoMemorySegment(ALL, history + 320, LITTLE_ENDIAN);
    v6.intoMemorySegment(ALL, history + 384, LITTLE_ENDIAN);
    v7.intoMemorySegment(ALL, history + 448, LITTLE_ENDIAN);
    v8.intoMemorySegment(ALL, history + 512, LITTLE_ENDIAN);
    v9.intoMemorySegment(ALL, history + 576, LITTLE_ENDIAN);
    v10.intoMemorySegment(ALL, history + 640, LITTLE_ENDIAN);
  }

  /**
   * Folds the vectors consumed last into the window after them.
   *
   * @param from address of the message's last window, of whole vectors
   * @param history the vectors consumed last
   * @param window receives the folded window
   * @param to address to copy the octets at {@code from} to
   */
  static void finish(long from, long history, long window, long to) throws Throwable {
    ByteVector zero = ByteVector.zero(SPECIES);
    ByteVector v0 = ByteVector.fromMemorySegment(SPECIES, ALL, history, LITTLE_ENDIAN);
    ByteVector v1 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 64, LITTLE_ENDIAN);
    ByteVector v2 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 128, LITTLE_ENDIAN);
    ByteVector v3 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 192, LITTLE_ENDIAN);
    ByteVector v4 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 256, LITTLE_ENDIAN);
    ByteVector v5 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 320, LITTLE_ENDIAN);
    ByteVector v6 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 384, LITTLE_ENDIAN);
    ByteVector v7 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 448, LITTLE_ENDIAN);
    ByteVector v8 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 512, LITTLE_ENDIAN);
    ByteVector v9 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 576, LITTLE_ENDIAN);
    ByteVector v10 = ByteVector.fromMemorySegment(SPECIES, ALL, history + 640, LITTLE_ENDIAN);
    ByteVector w0 = ByteVector.fromMemorySegment(SPECIES, ALL, from, LITTLE_ENDIAN);
    w0.intoMemorySegment(ALL, to, LITTLE_ENDIAN);
    w0.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v0, v1))
        .lanewise(XOR, v2)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v3, v4))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v3, v4))
        .lanewise(XOR, v9)
        .intoMemorySegment(ALL, window, LITTLE_ENDIAN);
    ByteVector w1 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 64, LITTLE_ENDIAN);
    w1.intoMemorySegment(ALL, to + 64, LITTLE_ENDIAN);
    w1.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v1, v2))
        .lanewise(XOR, v3)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v4, v5))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v4, v5))
        .lanewise(XOR, v10)
        .intoMemorySegment(ALL, window + 64, LITTLE_ENDIAN);
    ByteVector w2 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 128, LITTLE_ENDIAN);
    w2.intoMemorySegment(ALL, to + 128, LITTLE_ENDIAN);
    w2.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v2, v3))
        .lanewise(XOR, v4)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v5, v6))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v5, v6))
        .intoMemorySegment(ALL, window + 128, LITTLE_ENDIAN);
    ByteVector w3 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 192, LITTLE_ENDIAN);
    w3.intoMemorySegment(ALL, to + 192, LITTLE_ENDIAN);
    w3.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v3, v4))
        .lanewise(XOR, v5)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v6, v7))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v6, v7))
        .intoMemorySegment(ALL, window + 192, LITTLE_ENDIAN);
    ByteVector w4 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 256, LITTLE_ENDIAN);
    w4.intoMemorySegment(ALL, to + 256, LITTLE_ENDIAN);
    w4.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v4, v5))
        .lanewise(XOR, v6)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v7, v8))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v7, v8))
        .intoMemorySegment(ALL, window + 256, LITTLE_ENDIAN);
    ByteVector w5 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 320, LITTLE_ENDIAN);
    w5.intoMemorySegment(ALL, to + 320, LITTLE_ENDIAN);
    w5.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v5, v6))
        .lanewise(XOR, v7)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v8, v9))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v8, v9))
        .intoMemorySegment(ALL, window + 320, LITTLE_ENDIAN);
    ByteVector w6 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 384, LITTLE_ENDIAN);
    w6.intoMemorySegment(ALL, to + 384, LITTLE_ENDIAN);
    w6.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v6, v7))
        .lanewise(XOR, v8)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v9, v10))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v9, v10))
        .intoMemorySegment(ALL, window + 384, LITTLE_ENDIAN);
    ByteVector w7 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 448, LITTLE_ENDIAN);
    w7.intoMemorySegment(ALL, to + 448, LITTLE_ENDIAN);
    w7.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v7, v8))
        .lanewise(XOR, v9)
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_487, v10, zero))
        .lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_453, v10, zero))
        .intoMemorySegment(ALL, window + 448, LITTLE_ENDIAN);
    ByteVector w8 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 512, LITTLE_ENDIAN);
    w8.intoMemorySegment(ALL, to + 512, LITTLE_ENDIAN);
    w8.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v8, v9))
        .lanewise(XOR, v10)
        .intoMemorySegment(ALL, window + 512, LITTLE_ENDIAN);
    ByteVector w9 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 576, LITTLE_ENDIAN);
    w9.intoMemorySegment(ALL, to + 576, LITTLE_ENDIAN);
    w9.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v9, v10))
        .intoMemorySegment(ALL, window + 576, LITTLE_ENDIAN);
    ByteVector w10 = ByteVector.fromMemorySegment(SPECIES, ALL, from + 640, LITTLE_ENDIAN);
    w10.intoMemorySegment(ALL, to + 640, LITTLE_ENDIAN);
    w10.lanewise(XOR, (ByteVector) SHIFTED.invokeExact(BY_690, v10, zero))
        .intoMemorySegment(ALL, window + 640, LITTLE_ENDIAN);
  }
}
