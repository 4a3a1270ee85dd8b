package org.rddp.tcp.loss;

/**
 * How much may leave while the window is being reduced: as acknowledgments come, in proportion, so
 * that it reaches the threshold when a window's worth has been delivered (RFC 6937). In octets.
 */
final class ProportionalRateReduction {
  private long threshold;
  private long atStart;
  private long delivered;
  private long sent;
  private long allowance;
  private boolean urgent;

  /**
   * A reduction begins.
   *
   * @param slowStartThreshold what to have in flight at its end
   * @param flight what was in flight when it began: RecoverFS
   */
  void begin(long slowStartThreshold, long flight) {
    threshold = slowStartThreshold;
    atStart = Math.max(flight, 1);
    delivered = 0;
    sent = 0;
    allowance = 0;
    urgent = false;
  }

  /** A loss is known: its retransmission goes out whatever the arithmetic says. */
  void urgent() {
    urgent = true;
  }

  /**
   * An acknowledgment has come (section 3.1).
   *
   * @param octets what it has delivered: DeliveredData
   * @param pipe what is in flight now
   * @param progress whether the acknowledgment advanced and told of no further loss: only then may
   *     the window grow back as in slow start (PRR-SSRB), else by what is delivered (PRR-CRB)
   * @param emss a full segment
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

  /** Octets that have been sent. */
  void sent(long octets) {
    sent += octets;
    allowance -= octets;
    urgent = false;
  }

  /** Octets that may leave now. */
  long allowance() {
    return allowance;
  }
}
