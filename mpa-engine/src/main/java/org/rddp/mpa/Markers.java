package org.rddp.mpa;

/**
 * Where the Markers of a half connection lie, and what they say (RFC 5044 sections 4.2 and 4.3).
 *
 * <p>Offsets here count from SeqStart, the first octet of Full Operation in that direction: a
 * Marker begins wherever an offset is a multiple of 512. They are 64 bits wide, so nothing wraps.
 * FPDUs and Markers are multiples of four octets: a Marker never cuts ULPDU_Length, pad or CRC.
 */
final class Markers {
  /** Octets from one Marker to the next, its own included. */
  static final int INTERVAL = 512;

  /** Octets of a Marker: 16 reserved bits, then FPDUPTR. */
  static final int OCTETS = 4;

  /** The bits of a received FPDUPTR that count (section 4.2). */
  static final int POINTER_MASK = 0xfffc;

  private Markers() {}

  /** Whether a Marker begins at {@code offset}. */
  static boolean at(long offset) {
    return (offset & (INTERVAL - 1)) == 0;
  }

  /** Octets from {@code offset} to the next Marker behind it, 1 to 512. */
  static int distance(long offset) {
    return INTERVAL - (int) (offset & (INTERVAL - 1));
  }

  /** Octets of a Marker directly before the FPDU that begins at {@code offset}: 4 or 0. */
  static int leading(long offset) {
    return at(offset) ? OCTETS : 0;
  }

  /** How many Markers begin in {@code octets} octets of stream from {@code offset} on. */
  static int count(long offset, int octets) {
    return (int) (Math.ceilDiv(offset + octets, INTERVAL) - Math.ceilDiv(offset, INTERVAL));
  }

  /**
   * Octets of stream that an FPDU takes, its Markers included. A Marker right behind its CRC is the
   * next FPDU's.
   *
   * @param offset of its first octet, the leading Marker's if there is one
   * @param octets its size without Markers, greater than 0
   */
  static int span(long offset, int octets) {
    int leading = leading(offset);
    int beforeNext = distance(offset + leading);
    int behind = octets - beforeNext;
    int inner = behind <= 0 ? 0 : Math.ceilDiv(behind, INTERVAL - OCTETS);
    return leading + octets + OCTETS * inner;
  }
}
