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

  private Checksum() {}

  /**
   * The partial sum of memory.
   *
   * <p>Words are added in the machine's order, four octets at a time, and the result is turned
   * round at the end: the sum does not depend on the order (RFC 1071 section 2). The loop is kept
   * as plain as it is so that the compiler makes vectors of it, which is faster than what is
   * unrolled by hand.
   *
   * @param address first octet
   * @param length octets, 0 to 65535; an odd last octet counts as if a zero followed it
   * @return 0 to 65535
   */
  public static int sum(long address, int length) {
    int whole = length & ~3;
    long sum = 0;
    for (int i = 0; i < whole; i += 4) {
      sum += Memory.getIntNative(address + i) & LOW;
    }
    if ((length & 2) != 0) {
      sum += Memory.getShortNative(address + whole);
    }
    if ((length & 1) != 0) {
      int last = Memory.getByte(address + length - 1);
      sum += LITTLE_ENDIAN ? last : last << 8;
    }
    int folded = fold(sum);
    return LITTLE_ENDIAN ? Short.reverseBytes((short) folded) & 0xffff : folded;
  }

  /** Folds the carries of a sum of partial sums into 16 bits. */
  public static int fold(long sum) {
    long folded = (sum & LOW) + (sum >>> 32);
    folded = (folded & 0xffff) + ((folded >>> 16) & 0xffff) + (folded >>> 32);
    folded = (folded & 0xffff) + (folded >>> 16);
    return (int) ((folded & 0xffff) + (folded >>> 16));
  }

  /** What goes into a header's checksum field for the given sum of everything else. */
  public static int field(long sum) {
    return ~fold(sum) & 0xffff;
  }

  /** Whether a sum that includes the checksum field shows the octets intact. */
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
   * A checksum field after one 16-bit word under it has changed (RFC 1624 equation 3).
   *
   * @param field the checksum field before
   */
  public static int replace(int field, int oldWord, int newWord) {
    return field((long) (~field & 0xffff) + (~oldWord & 0xffff) + newWord);
  }
}
