package org.rddp.daemon;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.rddp.daemon.engine.Engine;

/**
 * Feeds the service manager's watchdog as long as every engine makes turns. An engine that is stuck
 * in a turn, or whose thread does not run, keeps it from being fed.
 */
final class Watchdog implements AutoCloseable {
  private final List<Engine> engines;
  private final Runnable feed;
  private final long[] turns;
  private final Thread thread;
  private volatile boolean running = true;

  /**
   * A watchdog that is not started.
   *
   * @param period time within which it is to be fed, more than zero; it is fed twice in it
   * @param feed feeds it; called on the watchdog's thread
   */
  Watchdog(List<Engine> engines, Duration period, Runnable feed) {
    this.engines = List.copyOf(engines);
    this.feed = feed;
    this.turns = new long[engines.size()];
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

  /** Feeds it if every engine has made a turn since it was fed last. */
  void check() {
    for (int i = 0; i < turns.length; i++) {
      if (engines.get(i).counters().turns() == turns[i]) {
        return;
      }
    }
    for (int i = 0; i < turns.length; i++) {
      turns[i] = engines.get(i).counters().turns();
    }
    feed.run();
  }

  /** Ends it: the watchdog is no longer fed. */
  @Override
  public void close() {
    running = false;
    LockSupport.unpark(thread);
  }
}
