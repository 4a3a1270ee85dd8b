package org.rddp.perf;

/**
 * Measures throughput: keeps operations outstanding on all connections until the time is over, and
 * then waits until all of them have been placed. For one thread; the loop does not allocate.
 */
final class BandwidthLoop {
  /** Posts of a connection in one turn. */
  private static final int BURST = 32;

  private static final long INTERVAL_NANOS = 100_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final PerfConnection[] connections;
  private final Pump pump;
  private final StopSignal stop;
  private long started;
  private long intervalBegin;
  private long intervalDone;
  private double peak;

  BandwidthLoop(PerfConnection[] connections, Pump pump, StopSignal stop) {
    this.connections = connections;
    this.pump = pump;
    this.stop = stop;
  }

  /**
   * Posts operations until enough have been posted, the time is over or the stop signal is given.
   *
   * @param most operations
   * @param nanos longest time for posting
   * @param gap ns between operations; 0: as many as there is room for
   * @return ns until everything that was posted at either end has been placed
   */
  long run(long most, long nanos, double gap) {
    long begin = System.nanoTime();
    long now = begin;
    started = 0;
    peak = Double.NaN;
    intervalBegin = begin;
    intervalDone = done();
    while (started < most && now - begin < nanos && !stop.isRequested()) {
      long allowed = gap == 0 ? most : Math.min(most, 1 + (long) ((now - begin) / gap));
      boolean posted = post(allowed);
      int completions = pump.poll();
      now = System.nanoTime();
      long due = begin + (long) (started * gap);
      boolean early = gap > 0 && now - due < 0;
      if (posted || completions > 0 || early) {
        pump.worked(now);
      }
      if (!posted && completions == 0) {
        pump.idle(now, early ? due : Long.MAX_VALUE);
      }
      takePeak(now);
    }
    flush(now);
    return System.nanoTime() - begin;
  }

  private boolean post(long allowed) {
    boolean posted = false;
    for (PerfConnection connection : connections) {
      for (int i = 0; i < BURST && started < allowed && connection.hasRoom(); i++) {
        if (!connection.post(0)) {
          break;
        }
        started++;
        posted = true;
      }
    }
    return posted;
  }

  private void takePeak(long now) {
    long nanos = now - intervalBegin;
    if (nanos >= INTERVAL_NANOS) {
      long done = done();
      double rate = (done - intervalDone) * NANOS_PER_SECOND / nanos;
      peak = Double.isNaN(peak) ? rate : Math.max(peak, rate);
      intervalBegin = now;
      intervalDone = done;
    }
  }

  private long done() {
    long done = 0;
    for (PerfConnection connection : connections) {
      done += connection.done();
    }
    return done;
  }

  private void flush(long from) {
    long now = from;
    for (PerfConnection connection : connections) {
      while (!connection.flushed()) {
        if (pump.poll() > 0) {
          pump.worked(now);
        } else {
          pump.idle(now, Long.MAX_VALUE);
        }
        now = System.nanoTime();
      }
    }
  }

  /** Operations posted in the last run. */
  long started() {
    return started;
  }

  /** Operations per second in the last run's best interval of 100 ms; NaN: none was over. */
  double peak() {
    return peak;
  }
}
