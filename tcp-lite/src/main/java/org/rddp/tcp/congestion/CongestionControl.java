package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;

/**
 * The congestion control of one connection (RFC 5681, RFC 9438). Sizes in octets, times in
 * nanoseconds.
 *
 * <p>During a recovery, proportional rate reduction (RFC 9937) limits sending instead of {@link
 * #window}, down to {@link #threshold}. The calls for one loss are {@link #onCongestion}, then
 * either {@link #onRecovered} or {@link #undo}; an expired timer needs no {@code onRecovered}. Not
 * safe for use by several threads.
 */
public interface CongestionControl {
  /** The largest window: the largest that TCP can announce, 65535 * 2^14. */
  int LARGEST = 65535 << 14;

  /**
   * The connection is established: sets the initial window (RFC 6928 section 2).
   *
   * @param emss octets of a full segment, at least 1
   */
  void open(int emss, long now);

  /**
   * Takes over from another congestion control of the same connection, after {@link #open}: its
   * window and threshold, if it had any.
   */
  default void follow(CongestionControl former) {}

  /**
   * Sets the initial window to one segment, because our SYN had to be sent again (RFC 5681 section
   * 3.1).
   */
  void onSynLost();

  /** Changes EMSS; the window keeps its octets, but is at least one segment. */
  void emss(int emss);

  /** Octets that may be in flight: CWND, one segment to {@link #LARGEST}. */
  long window();

  /** The window at which slow start and recovery end: SSTHRESH. */
  long threshold();

  /**
   * New data was acknowledged, outside of recovery.
   *
   * @param acknowledged octets
   * @param flight octets still in flight
   * @param roundTrip measured by this acknowledgment, 0 if none was
   * @param smoothed round trip, 0 if none has been measured
   * @param limited whether the window limited sending: otherwise it does not grow (RFC 9438 section
   *     5.8)
   */
  void onAcknowledged(
      long acknowledged, long flight, long roundTrip, long smoothed, boolean limited, long now);

  /**
   * New data was acknowledged, in any state, before the other calls about the same acknowledgment.
   *
   * @param acknowledged octets
   * @param outstanding octets sent and not acknowledged
   * @param marked how many of these were marked, as far as the acknowledgment says
   */
  default void onEcho(long acknowledged, long outstanding, long marked) {}

  /** Whether a loss in the window of an echo reduces once more: an echo reduces by less. */
  default boolean isGentle() {
    return false;
  }

  /**
   * A segment was lost, or the peer echoes congestion; called once per window of data.
   *
   * @param flight octets that were in flight
   * @param lost whether it was a loss; after an echo no recovery follows, and the window may fall
   *     to one segment instead of two (RFC 9438 section 4.6)
   */
  void onCongestion(long flight, boolean lost, long now);

  /** The recovery that {@link #onCongestion} began has ended. */
  void onRecovered(long now);

  /**
   * The retransmission timer has expired: the window becomes one segment.
   *
   * @param flight octets that were in flight
   * @param first whether it is the first time for this data, when the threshold is lowered, too
   */
  void onTimeout(long flight, boolean first, long now);

  /** The connection was idle for a retransmission timeout (RFC 5681 section 4.1). */
  void onIdle(long now);

  /**
   * The last {@link #onCongestion} or {@link #onTimeout} was spurious: restores the state before
   * it.
   */
  void undo(long now);

  /** The initial window: ten segments, at most 14600 octets or two segments (RFC 6928). */
  static int initialWindow(int emss) {
    return Math.min(10 * emss, Math.max(2 * emss, 14600));
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot);
}
