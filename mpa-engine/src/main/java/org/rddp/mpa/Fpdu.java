package org.rddp.mpa;

/**
 * The layout of an FPDU without Markers (RFC 5044 section 4.1): ULPDU_Length, ULPDU, pad to a
 * multiple of four octets, CRC.
 */
final class Fpdu {
  /** Octets of ULPDU_Length. */
  static final int LENGTH = 2; // MPA-4.1-01: "MUST be used for all MPA FPDUs"

  /** Octets of the CRC. */
  static final int CRC = 4; // MPA-4.4-11: "MUST include a CRC field"

  /** Octets that an FPDU adds to its ULPDU, without pad and Markers. */
  static final int OVERHEAD = LENGTH + CRC;

  private Fpdu() {}

  /** Octets of pad after a ULPDU of {@code length} octets, 0 to 3. */
  static int pad(int length) {
    // MPA-4.1-05: "the size of the FPDU an integral multiple of four"
    return -(LENGTH + length) & 3;
  }

  /** Octets of the whole FPDU around a ULPDU of {@code length} octets, a multiple of 4. */
  static int size(int length) {
    return OVERHEAD + length + pad(length); // MPA-4.1-01, MPA-4.1-08, ANA-6-03
  }
}
