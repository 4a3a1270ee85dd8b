package org.rddp.mpa;

/** The largest ULPDU that fits into a segment (RFC 5044 sections 3 and 4.5). */
public final class Mulpdu {
  /** MULPDU never falls below this, whatever EMSS does. */
  public static final int MIN = 128;

  /** No ULPDU is larger, so that its FPDU fits into any IP datagram. */
  public static final int MAX = 64768;

  private Mulpdu() {}

  /**
   * MULPDU by the formulas of section 4.5, kept within {@link #MIN} and {@link #MAX}.
   *
   * @param emss the effective maximum segment size in octets, greater than 0
   * @param markers whether the stream carries Markers; the formula allows for the most that an FPDU
   *     of EMSS octets can meet
   */
  public static int of(int emss, boolean markers) {
    int forMarkers = markers ? Markers.OCTETS * Math.ceilDiv(emss, Markers.INTERVAL) : 0;
    return Math.clamp(emss - (Fpdu.OVERHEAD + forMarkers + emss % 4), MIN, MAX);
  }

  /**
   * The largest ULPDU whose FPDU fits whole into part of a segment, at the place of the stream
   * where that part is.
   *
   * @param octets of that part, 0 or more
   * @param offset octets of the stream since SeqStart before that part
   * @param markers whether the stream carries Markers
   * @return how large, less than 0 when no FPDU fits
   */
  static int within(int octets, long offset, boolean markers) {
    int whole = octets - octets % 4;
    int forMarkers = markers ? Markers.OCTETS * Markers.count(offset, whole) : 0;
    return whole - forMarkers - Fpdu.OVERHEAD;
  }
}
