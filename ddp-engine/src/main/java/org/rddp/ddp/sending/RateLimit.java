package org.rddp.ddp.sending;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.rddp.snapshot.Snapshot;

/**
 * A token bucket: at most so many bits per second, and a burst after a time without any. It is kept
 * as the time until which what was sent has been paid for, one number, so the engines of an
 * interface share it without a lock. Whoever may send sends a whole quantum, and pays afterwards.
 * Any thread; times in nanoseconds, of one clock.
 */
public final class RateLimit {
  private static final long BIT_NANOS = 8_000_000_000L;
  private static final VarHandle PAID_UNTIL;

  static {
    try {
      PAID_UNTIL = MethodHandles.lookup().findVarHandle(RateLimit.class, "paidUntil", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long bitsPerSecond;
  private final long burst;
  private volatile long paidUntil = Long.MIN_VALUE;

  /**
   * Creates a full bucket.
   *
   * @param bitsPerSecond 1000 to 10^12
   * @param burstOctets the most octets at once, 1 to 2^30
   */
  public RateLimit(long bitsPerSecond, long burstOctets) {
    this.bitsPerSecond = bitsPerSecond;
    this.burst = nanos(burstOctets);
  }

  /**
   * Transfers until when what was sent has been paid for. Each engine that shares a limit transfers
   * the same.
   *
   * @param limit null for none: then what is read has no effect
   */
  static void transfer(Snapshot snapshot, RateLimit limit) {
    snapshot.begin(RateLimit.class);
    long paid = snapshot.number("paidUntil", limit == null ? Long.MIN_VALUE : limit.paidUntil);
    if (snapshot.reads() && limit != null) {
      limit.paidUntil = paid;
    }
    snapshot.end();
  }

  private long nanos(long octets) {
    return Math.ceilDiv(octets * BIT_NANOS, bitsPerSecond);
  }

  /** From when on something may be sent. */
  long readyAt() {
    return paidUntil;
  }

  /** Takes what was sent, at most 2^30 octets, which may be more than there is. */
  void take(long octets, long now) {
    long cost = nanos(octets);
    long before;
    long next;
    do {
      before = paidUntil;
      next = Math.max(before, now - burst) + cost;
    } while (!PAID_UNTIL.compareAndSet(this, before, next));
  }
}
