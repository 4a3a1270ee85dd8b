package org.rddp.mpa;

import org.rddp.crc.Crc32c;

/**
 * Reads one received FPDU at a given stream position: its size, the validity of its CRC and
 * Markers, and the location of its ULPDU (RFC 5044 sections 4.1 to 4.4).
 */
final class FpduReader {
  /** Largest distance from a Marker back to its FPDU that the 16-bit FPDUPTR can express. */
  private static final int MAX_POINTER = 0xffff; // MPA-4.3-19

  /** No offset within an FPDU. */
  static final int NONE = -1;

  private final Crc32c crc32c;
  private final boolean checkCrc;
  private final boolean markers;
  private final long start;

  /**
   * Creates a reader for the FPDUs of one direction.
   *
   * @param start stream position of the first octet after the startup frame
   * @param markers whether the peer must insert Markers
   */
  FpduReader(Crc32c crc32c, boolean checkCrc, boolean markers, long start) {
    this.crc32c = crc32c;
    this.checkCrc = checkCrc;
    this.markers = markers;
    this.start = start;
  }

  /** Stream position of the first octet of Full Operation. */
  long start() {
    return start;
  }

  /** Whether a Marker begins at a stream position. */
  boolean markerAt(long position) {
    return markers && Markers.at(position - start);
  }

  /** Whether the first four octets are a Marker directly before an FPDU (its FPDUPTR is 0). */
  boolean startsWithMarker(FpduOctets fpdu, long position) {
    // MPA-4.3-08: "included in the CRC calculation of the FPDU following the Marker"
    return markerAt(position) && (fpdu.getInt(0) & Markers.POINTER_MASK) == 0;
  }

  /** Octets from the start of the FPDU at a position to its ULPDU_Length. */
  int leading(long position) {
    return markers ? Markers.leading(position - start) : 0;
  }

  /** Octets from the start of the FPDU at a position to the end of its ULPDU_Length. */
  int headerOctets(long position) {
    return leading(position) + Fpdu.LENGTH;
  }

  /** ULPDU_Length of an FPDU whose header has been received. */
  int length(FpduOctets fpdu, long position) {
    return fpdu.getShort(leading(position));
  }

  /** Octets of the FPDU, Markers included; 0 if its ULPDU_Length is incomplete. */
  int size(FpduOctets fpdu, long position) {
    if (fpdu.count() < headerOctets(position)) {
      return 0;
    }
    int size = Fpdu.size(length(fpdu, position));
    return markers ? Markers.span(position - start, size) : size;
  }

  /** Whether an FPDU of {@code size} octets has a wrong CRC or a wrong Marker. */
  boolean wrong(FpduOctets fpdu, long position, int size) {
    return crcWrong(fpdu, size) || wrongMarker(fpdu, position, size) != NONE;
  }

  /** Whether the CRC of an FPDU of {@code size} octets is wrong. */
  boolean crcWrong(FpduOctets fpdu, int size) {
    // MPAB-1-01; MPA-4.1-06, MPA-4.4-01: "to verify the entire contents of the FPDU"; MPA-4.1-07,
    // MPA-7.1.1-10: "When CRCs are not in use, the CRC field MUST be considered valid";
    // MPA-7.1.1-08: "CRCs MUST not be checked"; MPA-4.4-09: "MUST turn off CRC checking
    // immediately"
    return checkCrc && calculated(fpdu, size) != received(fpdu, size);
  }

  private int calculated(FpduOctets fpdu, int size) {
    return fpdu.crc(crc32c, size - Fpdu.CRC); // MPA-4.3-01, MPA-4.4-13, MPA-4.4-14, MPAB-2.1-06
  }

  private static int received(FpduOctets fpdu, int size) {
    return Integer.reverseBytes(fpdu.getInt(size - Fpdu.CRC));
  }

  /** Describes a wrong CRC, for people to read. */
  String crcFault(FpduOctets fpdu, long position, int size) {
    return String.format(
        "FPDU of %d octets at position %d: CRC is 0x%08x, calculated 0x%08x",
        size, position, received(fpdu, size), calculated(fpdu, size));
  }

  /**
   * Offset of the first wrong Marker in an FPDU of {@code size} octets, or {@link #NONE}. Checks
   * every Marker, which the RFC leaves optional for segments in order, because it is cheap.
   */
  int wrongMarker(FpduOctets fpdu, long position, int size) {
    if (!markers) {
      return NONE;
    }
    int header = leading(position);
    int first = header > 0 ? 0 : Markers.distance(position - start);
    for (int at = first; at < size; at += Markers.INTERVAL) {
      int expected = at == 0 ? 0 : at - header; // MPA-4.3-09, MPA-4.3-13
      // MPA-8-05: "received MPA Marker (if enabled) and ULPDU Length fields do not agree on the
      // start of an FPDU", or the FPDU is longer than a Marker can say (MPA-4.3-19). MPA-8-08,
      // MPA-8-09, MPA-5.2-02: all are checked.
      if (pointer(fpdu, at) != expected || expected > MAX_POINTER) {
        return at;
      }
    }
    return NONE;
  }

  private static int pointer(FpduOctets fpdu, int at) {
    // MPA-4.2-06: "MUST always treat these as zero"; MPA-4.2-03: "ignored on receive (except for
    // CRC calculation)"
    return fpdu.getInt(at) & Markers.POINTER_MASK;
  }

  /** Describes the Marker found by {@link #wrongMarker}, for people to read. */
  String markerFault(FpduOctets fpdu, long position, int at) {
    int expected = at == 0 ? 0 : at - leading(position);
    return String.format(
        "FPDU with ULPDU_Length %d at position %d: FPDUPTR of its Marker at %d is %d, not %d",
        length(fpdu, position), position, position + at, pointer(fpdu, at), expected);
  }

  /** Sets {@code ulpdu} to the location of the FPDU's ULPDU. */
  void show(FpduOctets fpdu, long position, Ulpdu ulpdu) {
    int length = length(fpdu, position);
    int at = headerOctets(position);
    if (!markers) {
      // MPA-4.1-04: "ignored by the receiver"; MPA-4.3-16: "not the Markers, headers, and CRC"
      fpdu.show(ulpdu, at, at + length);
      return;
    }
    int left = length;
    while (left > 0) {
      if (Markers.at(position - start + at)) {
        at += Markers.OCTETS;
      }
      int part = Math.min(left, Markers.distance(position - start + at));
      fpdu.show(ulpdu, at, at + part); // MPA-4.3-16
      at += part;
      left -= part;
    }
  }
}
