package org.rddp.crc;

/**
 * CRC32c over memory addresses (RFC 5044 section 4.4: the iSCSI digest's polynomial, start value
 * and complement).
 *
 * <p>A CRC here is always the finished value, as it is compared and sent: that of no octets is 0,
 * and the CRC of what came before is continued by passing it in again. On the wire it goes low
 * octet first.
 *
 * <p>An instance belongs to one thread. No method allocates.
 */
public interface Crc32c {
  /**
   * Continues a CRC.
   *
   * @param crc that of everything before; 0 at the start
   * @param address of the octets that follow
   * @param length how many, 0 or more
   * @return the CRC of everything before and these octets
   */
  int update(int crc, long address, long length);

  /** A new instance of the quickest implementation on this machine. */
  static Crc32c create() {
    return new IntrinsicCrc32c();
  }

  /**
   * Joins the CRCs of two parts.
   *
   * @param first the CRC of the first part
   * @param second the CRC of the second part by itself
   * @param secondLength octets in the second part, 0 or more
   * @return the CRC of the first part followed by the second
   */
  static int combine(int first, int second, long secondLength) {
    return Polynomial.shift(first, secondLength) ^ second;
  }
}
