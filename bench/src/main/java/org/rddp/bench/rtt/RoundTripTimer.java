package org.rddp.bench.rtt;

import java.io.IOException;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Sample;
import org.rddp.rig.RoundTrips;

/**
 * Takes the time of round trips. Closed-loop, each begins when the one before has ended. Open-loop,
 * each has a time at which it is to begin, whatever became of those before, and its time counts
 * from then: a stall is seen by all that it delays.
 */
final class RoundTripTimer {
  private long number;

  /** Does the task. */
  Sample run(RttTask task, RoundTripMethod pingPong) throws Exception {
    pingPong.prepare(task);
    long end = System.nanoTime() + task.most();
    for (int i = 0; i < task.warmUp() && System.nanoTime() < end; i++) {
      pingPong.roundTrip(++number);
    }
    Histogram nanoseconds = RoundTrips.histogram();
    if (task.gap() == 0) {
      closed(task, pingPong, nanoseconds);
    } else {
      open(task, pingPong, nanoseconds);
    }
    return Sample.of(nanoseconds);
  }

  private void closed(RttTask task, RoundTripMethod pingPong, Histogram nanoseconds)
      throws IOException {
    long now = System.nanoTime();
    long end = now + task.most();
    for (int i = 0; i < task.count() && now < end; i++) {
      long began = System.nanoTime();
      pingPong.roundTrip(++number);
      now = System.nanoTime();
      record(nanoseconds, now - began);
    }
  }

  private void open(RttTask task, RoundTripMethod pingPong, Histogram nanoseconds)
      throws IOException {
    long intended = System.nanoTime();
    long end = intended + task.most();
    for (int i = 0; i < task.count() && System.nanoTime() < end; i++) {
      intended += task.gap();
      while (System.nanoTime() < intended) {
        Thread.onSpinWait();
      }
      pingPong.roundTrip(++number);
      record(nanoseconds, System.nanoTime() - intended);
    }
  }

  private static void record(Histogram nanoseconds, long took) {
    nanoseconds.recordValue(Math.min(took, nanoseconds.getHighestTrackableValue()));
  }
}
