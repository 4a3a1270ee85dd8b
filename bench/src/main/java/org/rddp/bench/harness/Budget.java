package org.rddp.bench.harness;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long a benchmark may take. Its steps share what is left: each may take an even part of it, so
 * that one that was quick leaves more to those after it. For one thread.
 */
public final class Budget {
  private final LongSupplier clock;
  private final long whole;
  private final long began;

  /** The weight of all steps that are to come, or 0 where nobody has said. */
  private double toCome;

  /** So much time from now on, by a clock in ns. */
  Budget(Duration whole, LongSupplier clock) {
    this.clock = clock;
    this.whole = whole.toNanos();
    this.began = clock.getAsLong();
  }

  /** So much time from now on. */
  public static Budget of(Duration whole) {
    return new Budget(whole, System::nanoTime);
  }

  /** As much as anybody wants. */
  public static Budget unlimited() {
    return of(Duration.ofDays(1));
  }

  /** A budget from now on of a part of what is left. */
  Budget part(double share) {
    return new Budget(Duration.ofNanos((long) (share * leftNanos())), clock);
  }

  /** Says how much is to come, in steps of weight 1 or other weights. */
  public void expect(double weight) {
    toCome = weight;
  }

  /**
   * Takes a step's part.
   *
   * @param weight beside the steps that are to come
   * @return ns that the step may take: its part of what is left, none when nothing is
   */
  long take(double weight) {
    double part = toCome > weight ? weight / toCome : 1;
    toCome = Math.max(0, toCome - weight);
    return (long) (part * leftNanos());
  }

  /** Ns that are left; 0 when it is used up. */
  public long leftNanos() {
    return Math.max(0, whole - spentNanos());
  }

  /** Ns in all. */
  long wholeNanos() {
    return whole;
  }

  /** Ns since it began. */
  public long spentNanos() {
    return clock.getAsLong() - began;
  }
}
