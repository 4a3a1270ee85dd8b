package org.rddp.mpa;

/** The largest ULPDU that fits into a segment (RFC 5044 sections 3 and 4.5). */
public final class Mulpdu {
  /** Lower bound of MULPDU, for any EMSS. */
  // D03-7.3.2-01, MPA-4.5-07: "MUST NOT shrink the MULPDU below 128 octets"
  public static final int MIN = 128;

  /** Upper bound of MULPDU, so that an FPDU fits into an IP datagram. */
  public static final int MAX = 64768; // MPA-3-08

  private Mulpdu() {}

  /**
   * MULPDU by the formulas of section 4.5, kept within {@link #MIN} and {@link #MAX}.
   *
   * @param emss the effective maximum segment size in octets, greater than 0
   * @param markers whether the stream carries Markers; the formula reserves room for the most
   *     Markers that EMSS octets can contain
   */
  public static int of(int emss, boolean markers) {
    // MPA-4.5-01: "when Markers are present MUST be computed as"
    int forMarkers = markers ? Markers.OCTETS * Math.ceilDiv(emss, Markers.INTERVAL) : 0;
    // MPA-4.5-11; MPA-4.5-02: "when Markers are NOT present MUST be computed as"; MPA-3-04:
    // "between 128 octets and 64768 octets, inclusive"
    return Math.clamp(emss - (Fpdu.OVERHEAD + forMarkers + emss % 4), MIN, MAX);
  }

  /**
   * The largest ULPDU whose FPDU fits a part of a segment at a given stream offset.
   *
   * @param octets octets of the part, 0 or more
   * @param offset octets from SeqStart to the part
   * @param markers whether the stream carries Markers
   * @return octets of the ULPDU; negative if no FPDU fits
   */
  static int within(int octets, long offset, boolean markers) {
    int whole = octets - octets % 4;
    int forMarkers = markers ? Markers.OCTETS * Markers.count(offset, whole) : 0;
    return whole - forMarkers - Fpdu.OVERHEAD;
  }
}
