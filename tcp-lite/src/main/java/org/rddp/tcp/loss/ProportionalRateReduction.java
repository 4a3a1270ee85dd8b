package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * Proportional rate reduction (RFC 9937): limits sending in a recovery in proportion to what is
 * delivered, so that the octets in flight reach the threshold when a whole window has been
 * delivered. In octets.
 */
final class ProportionalRateReduction {
  private long threshold;
  private long atStart;
  private long delivered;
  private long sent;
  private long window;
  private boolean urgent;

  /**
   * Begins a reduction (section 6.1).
   *
   * @param slowStartThreshold octets to have in flight at its end
   * @param deliverable octets that may be delivered during it, those of the acknowledgment that
   *     begins it included: RecoverFS
   */
  void begin(long slowStartThreshold, long deliverable) {
    threshold = slowStartThreshold;
    atStart = Math.max(deliverable, 1);
    delivered = 0;
    sent = 0;
    window = 0;
    urgent = false;
  }

  /** Permits the retransmission of a loss in any case. */
  void urgent() {
    urgent = true;
  }

  /** Octets of RecoverFS that have not been delivered. */
  long undelivered() {
    return Math.max(atStart - delivered, 0);
  }

  /** RecoverFS. */
  long deliverable() {
    return atStart;
  }

  /**
   * Processes an acknowledgment (section 6.2).
   *
   * @param octets newly delivered: DeliveredData
   * @param inFlight octets in flight now
   * @param progress whether it advances and reports no further loss, SafeACK: then the window may
   *     grow back as in slow start (PRR-SSRB), else by the octets delivered (PRR-CRB)
   * @param emss octets of a full segment
   */
  void acknowledged(long octets, long inFlight, boolean progress, int emss) {
    if (octets > 0) {
      delivered += octets;
      window = inFlight + count(octets, inFlight, progress, emss);
    }
    if (urgent) {
      // In octets SndCnt is seldom 0, but less than a segment.
      window = Math.max(window, inFlight + emss);
    }
  }

  /** Octets that may be sent in response to an acknowledgment: SndCnt. */
  private long count(long octets, long inFlight, boolean progress, int emss) {
    if (inFlight > threshold) {
      return (delivered * threshold + atStart - 1) / atStart - sent;
    }
    long limit = Math.max(delivered - sent, octets) + (progress ? emss : 0);
    return Math.min(threshold - inFlight, limit);
  }

  /** Counts octets that have been sent. */
  void sent(long octets) {
    sent += octets;
    urgent = false;
  }

  /**
   * Octets that may be sent now.
   *
   * @param inFlight octets in flight now
   */
  long allowance(long inFlight) {
    return window - inFlight;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ProportionalRateReduction.class);
    threshold = snapshot.number("threshold", threshold);
    atStart = snapshot.number("atStart", atStart);
    delivered = snapshot.number("delivered", delivered);
    sent = snapshot.number("sent", sent);
    window = snapshot.number("window", window);
    urgent = snapshot.flag("urgent", urgent);
    snapshot.end();
  }
}
