package org.rddp.daemon.engine;

import java.util.concurrent.TimeUnit;

/** Decides what follows turns of an engine that fail. Engine thread only. */
final class FailedTurns {
  /** What follows. */
  enum Verdict {
    /** The next turn: the failure may have been one of a moment. */
    GO_ON,
    /** The engine begins anew, without what may have caused the failures. */
    RESTART,
    /** The engine ends: beginning anew has not helped. */
    GIVE_UP
  }

  /** Consecutive failed turns after which an engine begins anew. */
  static final int HOPELESS = 100;

  /** How often an engine begins anew within a period. */
  static final int RESTARTS = 3;

  /** The period in ns. */
  static final long PERIOD = TimeUnit.MINUTES.toNanos(1);

  /** When it has begun anew; only the latest ones. */
  private final long[] restarts = new long[RESTARTS];

  private int count;
  private int failures;

  /** A turn has not failed. */
  void succeeded() {
    failures = 0;
  }

  /** A turn has failed. */
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
