package org.rddp.simulation.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An atomic operation and its result (RFC 7306 section 5.1), computed bit by bit.
 *
 * @param kind of operation
 * @param data to be added or swapped in
 * @param mask highest bits of the fields of an addition, or the bits to be swapped
 * @param compare expected bits
 * @param compareMask bits that are compared
 */
public record AtomicOperation(Kind kind, long data, long mask, long compare, long compareMask) {
  /** The kinds of atomic operations. */
  public enum Kind {
    FETCH_ADD,
    SWAP,
    COMPARE_SWAP
  }

  /**
   * Draws one.
   *
   * @param now octets that it will find, so that some comparisons succeed
   */
  public static AtomicOperation draw(SplittableRandom random, byte[] now) {
    List<Kind> all = List.of(Kind.values());
    Kind kind = all.get(random.nextInt(all.size()));
    long compare = random.nextBoolean() ? number(now) : random.nextLong();
    return new AtomicOperation(kind, random.nextLong(), mask(random), compare, mask(random));
  }

  private static long mask(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> -1;
      case 2 -> 1L << random.nextInt(Long.SIZE);
      default -> random.nextLong();
    };
  }

  /** The octets after the operation, in the byte order of the machine. */
  public byte[] apply(byte[] before) {
    long number = number(before);
    boolean differs = ((number ^ compare) & compareMask) != 0;
    long after =
        switch (kind) {
          case FETCH_ADD -> add(number);
          case SWAP -> swap(number);
          case COMPARE_SWAP -> differs ? number : swap(number);
        };
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(after).array();
  }

  private static long number(byte[] octets) {
    return ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder()).getLong();
  }

  private long swap(long number) {
    long swapped = 0;
    for (int bit = 0; bit < Long.SIZE; bit++) {
      long from = ((mask >>> bit) & 1) == 1 ? data : number;
      swapped |= ((from >>> bit) & 1) << bit;
    }
    return swapped;
  }

  private long add(long number) {
    long sum = 0;
    long carry = 0;
    for (int bit = 0; bit < Long.SIZE; bit++) {
      long here = ((number >>> bit) & 1) + ((data >>> bit) & 1) + carry;
      sum |= (here & 1) << bit;
      carry = ((mask >>> bit) & 1) == 1 ? 0 : here >>> 1;
    }
    return sum;
  }
}
