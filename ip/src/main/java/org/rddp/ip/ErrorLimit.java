package org.rddp.ip;

import org.rddp.snapshot.Snapshot;

/**
 * Limits the ICMP errors sent, for both families together (RFC 1812 section 4.3.2.8, RFC 4443
 * section 2.4 (f)): a hundred per second, fifty at once.
 */
final class ErrorLimit {
  private static final long INTERVAL = 10_000_000L;
  private static final int BURST = 50;

  /** A token bucket kept as a time: each error adds an interval; at most a burst in the past. */
  private long bucketTime = Long.MIN_VALUE / 2;

  /** Whether no error may be sent now. */
  boolean reached(long now) {
    bucketTime = Math.max(bucketTime, now - BURST * INTERVAL);
    return bucketTime + INTERVAL > now;
  }

  /** Counts an error that is sent. */
  void sent() {
    bucketTime += INTERVAL;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ErrorLimit.class);
    bucketTime = snapshot.number("bucketTime", bucketTime);
    snapshot.end();
  }
}
