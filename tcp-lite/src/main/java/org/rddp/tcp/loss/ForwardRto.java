package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * Forward RTO-recovery: after a timeout and the retransmission of the first segment, the next two
 * acknowledgments show whether the timeout was spurious (RFC 5682).
 */
final class ForwardRto {
  private static final int FRESH_SEGMENTS = 2;

  private static final byte OFF = 0;
  private static final byte FIRST = 1;
  private static final byte SECOND = 2;

  private byte step;
  private long recover;
  private long fresh;

  void begin() {
    step = OFF;
  }

  /**
   * Begins after a timeout, when the first segment is sent again (step 1).
   *
   * @param highest one past the last octet sent
   * @param usable whether the timer had not expired for the same data before
   */
  void timedOut(long highest, boolean usable) {
    step = usable ? FIRST : OFF;
    recover = highest;
  }

  /**
   * Processes an acknowledgment (steps 2 and 3).
   *
   * @param advanced whether it acknowledges new data
   * @param original whether it reports a segment that was sent once
   * @param selective whether the peer uses SACK, which makes {@code original} certain (section 3)
   * @param canSendNew whether there is new data that may be sent
   * @return whether the timeout was spurious
   */
  boolean acknowledged(
      long ack,
      boolean advanced,
      boolean original,
      boolean selective,
      boolean canSendNew,
      int emss) {
    if (step == OFF) {
      return false;
    }
    if (step == FIRST) {
      boolean maybe = advanced && ack < recover && canSendNew;
      step = maybe ? SECOND : OFF;
      fresh = (long) FRESH_SEGMENTS * emss;
      return false;
    }
    step = OFF;
    return selective ? original : advanced;
  }

  /** Whether new data is sent instead of retransmissions. */
  boolean forward() {
    return step == SECOND;
  }

  /** Octets of new data that may be sent instead of retransmissions. */
  long allowance() {
    return fresh;
  }

  void sent(long octets) {
    fresh -= octets;
  }

  /** Ends the detection, since a lost segment was sent again. */
  void retransmitted() {
    if (step == SECOND) {
      step = OFF;
    }
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ForwardRto.class);
    step = snapshot.number("step", step);
    recover = snapshot.number("recover", recover);
    fresh = snapshot.number("fresh", fresh);
    snapshot.end();
  }
}
