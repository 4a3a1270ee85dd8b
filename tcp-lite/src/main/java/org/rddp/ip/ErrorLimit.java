package org.rddp.ip;

/**
 * The limit of ICMP errors sent, for both families (RFC 1812 section 4.3.2.8, RFC 4443 section 2.4
 * (f)): a hundred per second, fifty at once.
 */
final class ErrorLimit {
  private static final long INTERVAL = 10_000_000L;
  private static final int BURST = 50;

  /** Token bucket as a time: each error adds an interval; never more than a burst in the past. */
  private long bucketTime = Long.MIN_VALUE / 2;

  /** Whether no error may be sent now. */
  boolean reached(long now) {
    bucketTime = Math.max(bucketTime, now - BURST * INTERVAL);
    return bucketTime + INTERVAL > now;
  }

  /** An error is being sent. */
  void sent() {
    bucketTime += INTERVAL;
  }
}
