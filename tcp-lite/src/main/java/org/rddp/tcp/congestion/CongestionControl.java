package org.rddp.tcp.congestion;

/**
 * What limits how much one connection has in flight (RFC 5681, RFC 9438). Sizes in octets, times in
 * nanoseconds.
 *
 * <p>While a loss is being repaired, proportional rate reduction says how much may leave (RFC
 * 6937), and not {@link #window}; it steers for {@link #threshold}. The calls of one loss are
 * {@link #onCongestion}, then either {@link #onRecovered} or {@link #undo}; an expired timer needs
 * no {@code onRecovered}. Not safe for use by several threads.
 */
public interface CongestionControl {
  /** What a window cannot exceed: the largest that TCP can announce, 65535 * 2^14. */
  int LARGEST = 65535 << 14;

  /**
   * The connection is established: takes the initial window (RFC 6928 section 2).
   *
   * @param emss octets in a full segment, at least 1
   */
  void open(int emss, long now);

  /** Our SYN had to be sent again: the initial window is one segment (RFC 5681 section 3.1). */
  void onSynLost();

  /**
   * A full segment is now that large; the window keeps its octets, but for one segment at least.
   */
  void emss(int emss);

  /** Octets that may be in flight: CWND, one segment to {@link #LARGEST}. */
  long window();

  /** Slow start ends here, and so does recovery: SSTHRESH. */
  long threshold();

  /**
   * New data was acknowledged, outside of recovery.
   *
   * @param acknowledged how much
   * @param flight what is still in flight
   * @param roundTrip what this acknowledgment says the round trip is, 0 if nothing
   * @param smoothed the smoothed round trip, 0 when none has been measured
   * @param limited whether the window was in full use: else it tells nothing that no more was lost,
   *     and does not grow (RFC 9438 section 5.8)
   */
  void onAcknowledged(
      long acknowledged, long flight, long roundTrip, long smoothed, boolean limited, long now);

  /**
   * A segment was lost, or the peer echoes that one met congestion; called once per window of data.
   *
   * @param flight what was in flight
   * @param lost whether it was a loss; after an echo no recovery follows, and the window may fall
   *     to one segment instead of two (RFC 9438 section 4.6)
   */
  void onCongestion(long flight, boolean lost, long now);

  /** What {@link #onCongestion} began is over, and everything lost then has been repaired. */
  void onRecovered(long now);

  /**
   * The retransmission timer has expired: one segment.
   *
   * @param flight what was in flight
   * @param first whether it is the first time for this data; the threshold is lowered only then
   */
  void onTimeout(long flight, boolean first, long now);

  /** Nothing was sent for a retransmission timeout (RFC 5681 section 4.1). */
  void onIdle(long now);

  /** The last {@link #onCongestion} or {@link #onTimeout} was spurious: as it was before. */
  void undo(long now);

  /** The initial window: ten segments, but not much more than they usually hold (RFC 6928). */
  static int initialWindow(int emss) {
    return Math.min(10 * emss, Math.max(2 * emss, 14600));
  }
}
