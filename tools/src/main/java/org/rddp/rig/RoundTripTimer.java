package org.rddp.rig;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips, in nanoseconds. Closed-loop, each round trip begins when the one before has
 * ended. Open-loop, each has an intended start, whatever became of those before, and its time
 * counts from there: a stall shows in every round trip that it delays. For one thread.
 */
public final class RoundTripTimer {
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
      while (System.nanoTime() < intended) {
        Thread.onSpinWait();
      }
      trip.run(++number);
      record(nanoseconds, System.nanoTime() - intended);
    }
    return nanoseconds;
  }

  private static void record(Histogram nanoseconds, long took) {
    nanoseconds.recordValue(Math.min(took, nanoseconds.getHighestTrackableValue()));
  }
}
