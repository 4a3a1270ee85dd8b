package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * Recent acknowledgment: a segment is lost when one that was sent sufficiently later has been
 * delivered (RFC 8985 section 6). Times in nanoseconds.
 *
 * <p>Transmissions are compared by serial numbers, where the RFC compares send times and then
 * sequence numbers: within one turn of the duty cycle all send times are equal.
 */
final class Rack {
  private final Scoreboard board;
  private final SegmentQueue queue;
  private ReorderingWindow reordering;
  private long serial;
  private long roundTrip;
  private long highestEnd;

  /** D-SACKs up to this position belong to a round trip that has been counted. */
  private long round;

  private long width;

  Rack(SegmentQueue queue, Scoreboard board) {
    this.queue = queue;
    this.board = board;
  }

  void begin(ReorderingWindow window, long smoothed, long position) {
    reordering = window;
    serial = -1;
    roundTrip = smoothed;
    highestEnd = position;
    round = position;
    width = 0;
  }

  /** Processes the segments that an acknowledgment has delivered (steps 1 to 3). */
  void delivered(DeliveredSegments delivery, long leastRoundTrip, long now) {
    if (!delivery.any()) {
      return;
    }
    if (delivery.firstOriginalEnd() < highestEnd) {
      reordering.reordered();
    }
    highestEnd = Math.max(highestEnd, delivery.highestEnd());
    long measured = now - delivery.latestSentAt();
    if (delivery.latestRetransmitted() && measured < leastRoundTrip) {
      // An earlier transmission was delivered: this one cannot have been acknowledged yet.
      return;
    }
    if (delivery.latestSerial() > serial) {
      serial = delivery.latestSerial();
      roundTrip = measured;
    }
  }

  /** Widens the reordering window after a D-SACK: it was too small (step 4). */
  void duplicate(long una, long max) {
    if (una >= round) {
      round = max;
      reordering.widen();
    }
  }

  /**
   * Marks lost segments (step 5).
   *
   * @param repairing whether a loss is being repaired
   * @return when the next segment counts as lost unless it is acknowledged; {@link Long#MAX_VALUE}
   *     if there is none
   */
  long detect(boolean repairing, long leastRoundTrip, long smoothed, long now) {
    width = reordering.width(repairing, board.sackedSegments(), leastRoundTrip, smoothed);
    int slot = board.oldest();
    while (slot != SegmentQueue.NONE && queue.arrays.serials[slot] < serial) {
      long deadline = queue.arrays.sentAt[slot] + roundTrip + width;
      if (deadline > now) {
        return deadline;
      }
      board.lose(slot);
      slot = board.oldest();
    }
    return Long.MAX_VALUE;
  }

  /** Segments sent up to this time are lost when the retransmission timer expires (section 6.3). */
  long lostBy(long now) {
    return now - roundTrip - width;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Rack.class);
    serial = snapshot.number("serial", serial);
    roundTrip = snapshot.number("roundTrip", roundTrip);
    highestEnd = snapshot.number("highestEnd", highestEnd);
    round = snapshot.number("round", round);
    width = snapshot.number("width", width);
    snapshot.end();
  }
}
