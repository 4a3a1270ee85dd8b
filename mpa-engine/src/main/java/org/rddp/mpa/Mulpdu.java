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
}
