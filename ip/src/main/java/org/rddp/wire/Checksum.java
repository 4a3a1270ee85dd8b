package org.rddp.wire;

import java.nio.ByteOrder;

/**
 * The Internet checksum of RFC 1071.
 *
 * <p>Partial sums are one's complement sums of 16-bit words in network order, 0 to 65535 once
 * folded. They may be added as plain numbers in any order, provided that every part but the last
 * has an even length; {@link #fold} brings the total back to 16 bits.
 */
public final class Checksum {
  private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  private static final long LOW = 0xffff_ffffL;

  /**
   * Runs of at least this many octets are summed by vectors; a multiple of every vector's length.
   */
  private static final int LONG_RUN = 128;

  /**
   * Whether HotSpot has compiled the sum by vectors. Not volatile: an engine need not see it at
   * once.
   */
  private static boolean vectors;

  private Checksum() {}

  /**
   * A task to be run once on a thread of its own. Once it has succeeded, after about a second at
   * most, long runs of memory are summed by vectors. It does nothing if the JVM has no vectors.
   *
   * @param pause yields the core to other threads for a moment
   */
  public static Runnable warmUp(Runnable pause) {
    return vectorsAreThere() ? new ChecksumWarmUp(pause) : () -> {};
  }

  /**
   * Whether the JVM has the Vector API; checked before any class is loaded that needs its module.
   */
  static boolean vectorsAreThere() {
    return VectorModule.isPresent() && VectorChecksum.available();
  }

  static void useVectors() {
    vectors = true;
  }

  /**
   * The partial sum of memory.
   *
   * <p>Words are added in the machine's byte order, eight octets at a time, and the result is
   * swapped at the end, since the sum does not depend on the byte order (RFC 1071 section 2). Few
   * octets, such as headers, are added without a loop: HotSpot unrolls loops so far that short runs
   * would never reach the fast part.
   *
   * @param address of the first octet
   * @param length octets, 0 to 65535; an odd last octet counts as if a zero followed it
   * @return 0 to 65535
   */
  public static int sum(long address, int length) {
    long at = address;
    long sum = 0;
    if (length >= LONG_RUN) {
      int whole = length & -LONG_RUN;
      sum = vectors ? VectorChecksum.sum(at, whole) : longRun(at, whole);
      at += whole;
    }
    return finish(sum + shortRun(at, length & (LONG_RUN - 1)));
  }

  /** The partial sum of 20 octets: a header without options. */
  public static int sumOfTwenty(long address) {
    return finish(eight(address) + eight(address + 8) + (Memory.getIntNative(address + 16) & LOW));
  }

  private static int finish(long sum) {
    int folded = fold(sum);
    return LITTLE_ENDIAN ? Short.reverseBytes((short) folded) & 0xffff : folded;
  }

  private static long longRun(long address, int length) {
    long sum = 0;
    for (int i = 0; i < length; i += 8) {
      sum += eight(address + i);
    }
    return sum;
  }

  private static long shortRun(long address, int length) {
    long at = address;
    long sum = 0;
    if ((length & 64) != 0) {
      sum += thirtyTwo(at) + thirtyTwo(at + 32);
      at += 64;
    }
    if ((length & 32) != 0) {
      sum += thirtyTwo(at);
      at += 32;
    }
    if ((length & 16) != 0) {
      sum += eight(at) + eight(at + 8);
      at += 16;
    }
    if ((length & 8) != 0) {
      sum += eight(at);
      at += 8;
    }
    return sum + lastSeven(at, length & 7);
  }

  private static long lastSeven(long address, int length) {
    long at = address;
    long sum = 0;
    if ((length & 4) != 0) {
      sum += Memory.getIntNative(at) & LOW;
      at += 4;
    }
    if ((length & 2) != 0) {
      sum += Memory.getShortNative(at);
      at += 2;
    }
    if ((length & 1) != 0) {
      int last = Memory.getByte(at);
      sum += LITTLE_ENDIAN ? last : last << 8;
    }
    return sum;
  }

  private static long thirtyTwo(long address) {
    return eight(address) + eight(address + 8) + eight(address + 16) + eight(address + 24);
  }

  private static long eight(long address) {
    long octets = Memory.getLongNative(address);
    return (octets & LOW) + (octets >>> 32);
  }

  /** Folds the carries of a sum of partial sums into 16 bits. */
  public static int fold(long sum) {
    // Adding the number to itself with its halves exchanged leaves the sum of both halves in the
    // upper half; the lower half carries into it.
    long halves = sum + Long.rotateLeft(sum, 32);
    int quarters = (int) (halves >>> 32);
    return (quarters + Integer.rotateLeft(quarters, 16)) >>> 16;
  }

  /** The value of a checksum field for the given sum of everything else. */
  public static int field(long sum) {
    return ~fold(sum) & 0xffff;
  }

  /** Whether a sum that includes the checksum field shows intact data. */
  public static boolean intact(long sum) {
    return fold(sum) == 0xffff;
  }

  /**
   * The partial sum, not folded, of the pseudo header of RFC 9293 section 3.1.
   *
   * @param length octets of the TCP header and its payload
   */
  public static long pseudoHeader(int source, int destination, int protocol, int length) {
    return (source & LOW) + (destination & LOW) + protocol + length;
  }

  /**
   * The partial sum, not folded, of the pseudo header of RFC 8200 section 8.1.
   *
   * @param length octets of the header of the upper layer and its payload
   */
  public static long pseudoHeader(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int protocol,
      int length) {
    return words(sourceHigh)
        + words(sourceLow)
        + words(destinationHigh)
        + words(destinationLow)
        + protocol
        + length;
  }

  private static long words(long number) {
    return (number & LOW) + (number >>> 32);
  }

  /**
   * Updates a checksum field after the change of one 16-bit word (RFC 1624 equation 3).
   *
   * @param field the checksum field before the change
   */
  public static int replace(int field, int oldWord, int newWord) {
    return field((long) (~field & 0xffff) + (~oldWord & 0xffff) + newWord);
  }
}
