package org.rddp.bench.harness;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time that a benchmark may take. Each step gets an even part of the time that is left, so that
 * a quick step leaves more to those after it. For one thread.
 */
public final class Budget {
  private final LongSupplier clock;
  private final long whole;
  private final long began;

  /** The weight of all steps to come; 0 where that is unknown. */
  private double toCome;

  /** A budget from now on, by a clock in ns. */
  Budget(Duration whole, LongSupplier clock) {
    this.clock = clock;
    this.whole = whole.toNanos();
    this.began = clock.getAsLong();
  }

  /** A budget from now on. */
  public static Budget of(Duration whole) {
    return new Budget(whole, System::nanoTime);
  }

  /** A budget of a part of the time that is left. */
  Budget part(double share) {
    return new Budget(Duration.ofNanos((long) (share * leftNanos())), clock);
  }

  /** Sets the sum of the weights of all steps to come. */
  public void expect(double weight) {
    toCome = weight;
  }

  /**
   * Takes a step's part of the time that is left.
   *
   * @param weight of the step
   * @return ns that the step may take; 0 when the budget is used up
   */
  long take(double weight) {
    double part = toCome > weight ? weight / toCome : 1;
    toCome = Math.max(0, toCome - weight);
    return (long) (part * leftNanos());
  }

  /** Ns that are left; 0 when the budget is used up. */
  public long leftNanos() {
    return Math.max(0, whole - spentNanos());
  }

  long wholeNanos() {
    return whole;
  }

  /** Ns since it began. */
  public long spentNanos() {
    return clock.getAsLong() - began;
  }
}
