package org.rddp.daemon.engine;

import java.util.concurrent.TimeUnit;

/** Decides what follows failed turns of an engine. Engine thread only. */
final class FailedTurns {
  /** What follows. */
  enum Verdict {
    /** Make the next turn: the failure may have been transient. */
    GO_ON,
    /** Restart the engine, without the sessions that may have caused the failures. */
    RESTART,
    /** End the engine: restarts have not helped. */
    GIVE_UP
  }

  /** Consecutive failed turns after which an engine restarts. */
  static final int HOPELESS = 100;

  /** Most restarts of an engine within a period. */
  static final int RESTARTS = 3;

  /** The period in ns. */
  static final long PERIOD = TimeUnit.MINUTES.toNanos(1);

  /** Times of the latest restarts. */
  private final long[] restarts = new long[RESTARTS];

  private int count;
  private int failures;

  /** Resets the failure count. */
  void succeeded() {
    failures = 0;
  }

  /** Counts a failed turn, and decides what follows. */
  Verdict failed(long now) {
    if (++failures < HOPELESS) {
      return Verdict.GO_ON;
    }
    failures = 0;
    int oldest = count % RESTARTS;
    if (count >= RESTARTS && now - restarts[oldest] < PERIOD) {
      return Verdict.GIVE_UP;
    }
    restarts[oldest] = now;
    count++;
    return Verdict.RESTART;
  }
}
