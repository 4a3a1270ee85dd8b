package org.rddp.daemon;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineThread;

/**
 * Feeds the service manager's watchdog as long as at least one thread runs turns of all its
 * engines. If every thread is stuck or does not run, the watchdog is not fed, and the service
 * manager replaces the daemon. Before that, a stuck thread ends only its own sessions; see {@link
 * org.rddp.daemon.control.EngineWatch}.
 */
final class Watchdog implements AutoCloseable {
  private final List<TurnCheck> checks;
  private final Runnable feed;
  private final Thread thread;
  private volatile boolean running = true;

  /**
   * Creates a watchdog, not started.
   *
   * @param period time within which to feed it, more than zero; it is fed twice in it
   * @param feed feeds it; called on the watchdog's thread
   */
  Watchdog(List<EngineThread> threads, Duration period, Runnable feed) {
    this.checks = threads.stream().map(each -> new TurnCheck(each.engines())).toList();
    this.feed = feed;
    this.thread = new Thread(() -> run(period.toNanos() / 2), "rddp-watchdog");
    thread.setDaemon(true);
  }

  /** Starts the thread that checks the engines. */
  void start() {
    thread.start();
  }

  private void run(long pause) {
    while (running) {
      check();
      LockSupport.parkNanos(pause);
    }
  }

  /** Feeds it if a thread has made turns since the check before. */
  void check() {
    boolean works = false;
    for (TurnCheck each : checks) {
      works |= each.makesTurns();
    }
    if (works) {
      feed.run();
    }
  }

  /** Stops feeding the watchdog. */
  @Override
  public void close() {
    running = false;
    LockSupport.unpark(thread);
  }

  /** Checks whether engines make turns. */
  private static final class TurnCheck {
    private final List<Engine> engines;
    private final long[] turns;

    TurnCheck(List<Engine> engines) {
      this.engines = engines;
      this.turns = new long[engines.size()];
    }

    /** Whether each engine has made a turn since this was last true. */
    boolean makesTurns() {
      for (int i = 0; i < turns.length; i++) {
        if (engines.get(i).counters().turns == turns[i]) {
          return false;
        }
      }
      for (int i = 0; i < turns.length; i++) {
        turns[i] = engines.get(i).counters().turns;
      }
      return true;
    }
  }
}
