package org.rddp.mpa;

/**
 * Positions and contents of the Markers of one direction (RFC 5044 sections 4.2 and 4.3).
 *
 * <p>Offsets count from SeqStart, the first octet of Full Operation in that direction: a Marker
 * begins at each multiple of 512. They are 64 bits wide, so they do not wrap. FPDUs and Markers are
 * multiples of four octets, so a Marker never splits ULPDU_Length, pad or CRC.
 */
final class Markers {
  /** Octets from one Marker to the next, its own included. */
  static final int INTERVAL = 512; // MPA-4.3-04: "at a 512-octet periodic interval"

  /** Octets of a Marker: 16 reserved bits, then FPDUPTR. */
  // MPA-4.2-01: "The format of a Marker MUST be as specified in Figure 3"
  static final int OCTETS = 4;

  /** The bits of a received FPDUPTR that are significant (section 4.2). */
  static final int POINTER_MASK = 0xfffc; // MPA-4.2-03, MPA-4.2-06

  private Markers() {}

  /** Whether a Marker begins at {@code offset}. */
  static boolean at(long offset) {
    // MPA-4.3-12, MPA-4.3-18; MPA-4.3-11: "the remainder of (SeqNum - SeqStart) mod 512 is zero"
    return (offset & (INTERVAL - 1)) == 0;
  }

  /** Octets from {@code offset} to the next Marker after it, 1 to 512. */
  static int distance(long offset) {
    return INTERVAL - (int) (offset & (INTERVAL - 1));
  }

  /**
   * Octets of the Marker directly before the FPDU that begins at {@code offset}: 4, or 0 if there
   * is none.
   */
  static int leading(long offset) {
    return at(offset) ? OCTETS : 0;
  }

  /** Number of Markers that begin in the {@code octets} octets from {@code offset} on. */
  static int count(long offset, int octets) {
    return (int) (Math.ceilDiv(offset + octets, INTERVAL) - Math.ceilDiv(offset, INTERVAL));
  }

  /**
   * Octets that an FPDU takes in the stream, its Markers included. A Marker directly after its CRC
   * belongs to the next FPDU.
   *
   * @param offset of its first octet: the leading Marker's if there is one
   * @param octets its size without Markers, greater than 0
   */
  static int span(long offset, int octets) {
    int leading = leading(offset);
    int beforeNext = distance(offset + leading);
    int behind = octets - beforeNext;
    int inner = behind <= 0 ? 0 : Math.ceilDiv(behind, INTERVAL - OCTETS);
    return leading + octets + OCTETS * inner; // MPA-4.1-08
  }
}
