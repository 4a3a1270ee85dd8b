package org.rddp.rig;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips, in nanoseconds. Closed-loop, each round trip begins when the one before has
 * ended. Open-loop, each has an intended start, from which its time counts: a stall shows in every
 * round trip that it delays. For one thread.
 *
 * <p>Where intended starts are {@link #SLEEPS} or farther apart, the thread sleeps until then if
 * the round trip before has ended, and its time counts from the end of the sleep: otherwise this
 * thread would take a processor from what it measures, and the kernel would take it away from this
 * thread.
 */
public final class RoundTripTimer {
  /** The shortest gap, in ns, in which it sleeps. */
  public static final long SLEEPS = 1_000_000;

  private long number;

  /** A timer whose first message has the number 1. */
  public RoundTripTimer() {}

  /** Runs round trips that are not counted: {@code count} of them, or fewer where time is short. */
  public void warmUp(RoundTrip trip, int count, long mostNanos) throws IOException {
    long end = System.nanoTime() + mostNanos;
    for (int i = 0; i < count && System.nanoTime() < end; i++) {
      trip.run(++number);
    }
  }

  /** Measures closed-loop: {@code count} round trips, or fewer where time is short. */
  public Histogram closedLoop(RoundTrip trip, int count, long mostNanos) throws IOException {
    Histogram nanoseconds = RoundTrips.histogram();
    long now = System.nanoTime();
    long end = now + mostNanos;
    for (int i = 0; i < count && now < end; i++) {
      long began = System.nanoTime();
      trip.run(++number);
      now = System.nanoTime();
      record(nanoseconds, now - began);
    }
    return nanoseconds;
  }

  /**
   * Measures open-loop: {@code count} round trips, or fewer where time is short.
   *
   * @param gap ns between intended starts
   */
  public Histogram openLoop(RoundTrip trip, int count, long gap, long mostNanos)
      throws IOException {
    Histogram nanoseconds = RoundTrips.histogram();
    long intended = System.nanoTime();
    long end = intended + mostNanos;
    for (int i = 0; i < count && System.nanoTime() < end; i++) {
      intended += gap;
      long start = gap < SLEEPS ? spinUntil(intended) : sleepUntil(intended);
      trip.run(++number);
      record(nanoseconds, System.nanoTime() - start);
    }
    return nanoseconds;
  }

  private static long spinUntil(long intended) {
    while (System.nanoTime() < intended) {
      Thread.onSpinWait();
    }
    return intended;
  }

  /** Returns when it woke, or the intended start if that has passed. */
  private static long sleepUntil(long intended) {
    long start = intended;
    for (long now = System.nanoTime(); now < intended; now = System.nanoTime()) {
      LockSupport.parkNanos(intended - now);
      start = System.nanoTime();
    }
    return start;
  }

  private static void record(Histogram nanoseconds, long took) {
    nanoseconds.recordValue(Math.min(took, nanoseconds.getHighestTrackableValue()));
  }
}
