package org.rddp.perf;

/**
 * Measures latencies. In a closed loop an operation begins when one before has ended. In an open
 * loop each has an intended start and its time counts from there, so a stall shows in every
 * operation that it delays. For one thread; the loop does not allocate.
 */
final class LatencyLoop {
  private final PerfConnection[] connections;
  private final Pump pump;
  private final StopSignal stop;
  private long underWay;
  private long started;
  private long unsent;

  LatencyLoop(PerfConnection[] connections, Pump pump, StopSignal stop) {
    this.connections = connections;
    this.pump = pump;
    this.stop = stop;
  }

  /**
   * Runs operations until enough have begun, the time is over or the stop signal is given, and
   * waits for the answers of all that have begun.
   *
   * @param most operations
   * @param nanos longest time for them to begin
   * @param gap ns between intended starts; 0: closed loop
   * @param recorder gets the times; null: nowhere
   * @return ns until the last answer
   */
  long run(long most, long nanos, double gap, LatencyRecorder recorder) {
    long begin = System.nanoTime();
    long now = begin;
    long took = 0;
    started = 0;
    unsent = 0;
    boolean ends = false;
    while (!ends || underWay > 0) {
      if (!ends) {
        took = now - begin;
        ends = started == most || took >= nanos || stop.isRequested();
      }
      long due = begin + (long) (started * gap);
      boolean posted = !ends && now - due >= 0 && post(gap == 0 ? now : due);
      int answers = pump.poll() + record(recorder);
      now = System.nanoTime();
      if (posted || answers > 0 || underWay == 0) {
        pump.worked(now);
      }
      if (!posted && answers == 0) {
        boolean waits = ends || (underWay > 0 && now - due >= 0);
        pump.idle(now, waits ? Long.MAX_VALUE : due);
      }
    }
    if (gap > 0) {
      recordUnsent(most, took, gap, recorder);
    }
    return now - begin;
  }

  private boolean post(long start) {
    PerfConnection next = connections[(int) (started % connections.length)];
    if (!next.hasRoom() || !next.post(start)) {
      return false;
    }
    started++;
    underWay++;
    return true;
  }

  private int record(LatencyRecorder recorder) {
    int count = 0;
    for (PerfConnection connection : connections) {
      count += connection.record(recorder);
    }
    underWay -= count;
    return count;
  }

  /**
   * Records the time so far of operations that were due and have not begun: otherwise a stall that
   * lasts until the end would not show.
   */
  private void recordUnsent(long most, long took, double gap, LatencyRecorder recorder) {
    for (long number = started; number < most; number++) {
      long waited = took - (long) (number * gap);
      if (waited <= 0) {
        return;
      }
      unsent++;
      if (recorder != null) {
        recorder.record(waited);
      }
    }
  }

  /** Operations of the last run that were due and had not begun when the time was over. */
  long unsent() {
    return unsent;
  }
}
