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
   * <p>Words are added in the machine's order, eight octets at a time in four independent lanes,
   * and the result is turned round at the end: the sum does not depend on the order (RFC 1071
   * section 2).
   *
   * @param address first octet
   * @param length octets, 0 to 65535; an odd last octet counts as if a zero followed it
   * @return 0 to 65535
   */
  public static int sum(long address, int length) {
    long a = 0;
    long b = 0;
    long c = 0;
    long d = 0;
    int at = 0;
    for (; at <= length - 32; at += 32) {
      long v = Memory.getLongNative(address + at);
      long w = Memory.getLongNative(address + at + 8);
      long x = Memory.getLongNative(address + at + 16);
      long y = Memory.getLongNative(address + at + 24);
      a += (v & LOW) + (v >>> 32);
      b += (w & LOW) + (w >>> 32);
      c += (x & LOW) + (x >>> 32);
      d += (y & LOW) + (y >>> 32);
    }
    for (; at <= length - 8; at += 8) {
      long v = Memory.getLongNative(address + at);
      a += (v & LOW) + (v >>> 32);
    }
    if (at <= length - 4) {
      b += Memory.getIntNative(address + at) & LOW;
      at += 4;
    }
    if (at <= length - 2) {
      c += Memory.getShortNative(address + at);
      at += 2;
    }
    if (at < length) {
      int last = Memory.getByte(address + at);
      d += LITTLE_ENDIAN ? last : last << 8;
    }
    int sum = fold(a + b + c + d);
    return LITTLE_ENDIAN ? Short.reverseBytes((short) sum) & 0xffff : sum;
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
