package org.rddp.tcp.loss;

/**
 * Proportional rate reduction (RFC 6937): limits sending in a recovery in proportion to what is
 * delivered, so that the octets in flight reach the threshold when a whole window has been
 * delivered. In octets.
 */
final class ProportionalRateReduction {
  private long threshold;
  private long atStart;
  private long delivered;
  private long sent;
  private long allowance;
  private boolean urgent;

  /**
   * Begins a reduction.
   *
   * @param slowStartThreshold octets to have in flight at its end
   * @param flight octets in flight when it begins: RecoverFS
   */
  void begin(long slowStartThreshold, long flight) {
    threshold = slowStartThreshold;
    atStart = Math.max(flight, 1);
    delivered = 0;
    sent = 0;
    allowance = 0;
    urgent = false;
  }

  /** Permits the retransmission of a loss in any case. */
  void urgent() {
    urgent = true;
  }

  /**
   * Processes an acknowledgment (section 3.1).
   *
   * @param octets newly delivered: DeliveredData
   * @param pipe octets in flight now
   * @param progress whether it advances and reports no further loss: then the window may grow back
   *     as in slow start (PRR-SSRB), else by the octets delivered (PRR-CRB)
   * @param emss octets of a full segment
   */
  void acknowledged(long octets, long pipe, boolean progress, int emss) {
    delivered += octets;
    if (pipe > threshold) {
      allowance = (delivered * threshold + atStart - 1) / atStart - sent;
    } else {
      long limit = progress ? Math.max(delivered - sent, octets) + emss : delivered - sent;
      allowance = Math.min(threshold - pipe, limit);
    }
    if (urgent) {
      allowance = Math.max(allowance, emss);
    }
  }

  /** Counts octets that have been sent. */
  void sent(long octets) {
    sent += octets;
    allowance -= octets;
    urgent = false;
  }

  /** Octets that may be sent now. */
  long allowance() {
    return allowance;
  }
}
