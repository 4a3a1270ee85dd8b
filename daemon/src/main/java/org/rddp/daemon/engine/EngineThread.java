package org.rddp.daemon.engine;

import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.rddp.daemon.configuration.IdleMode;

/** A thread that takes turns on one or several engines until it is told to stop. */
public final class EngineThread implements AutoCloseable {
  private static final long SHORTEST_PARK = 1_000;
  private static final long LONGEST_PARK = 100_000;

  /** Turns failing in a row after which the thread gives up. */
  private static final int HOPELESS = 100;

  private final Engine[] engines;
  private final IdleStrategy idle;
  private final Runnable onStart;
  private final Runnable onEnd;
  private final Consumer<Throwable> onLost;
  private final Thread thread;
  private volatile boolean running = true;

  /** Turns that failed, one after the other. */
  private int failures;

  /**
   * A thread that is not started.
   *
   * @param onStart what it does first, such as registering with DPDK
   * @param onEnd what it does last
   * @param onLost called when it ends without having been told to, with the reason
   */
  public EngineThread(
      String name,
      List<Engine> engines,
      IdleMode idling,
      Runnable onStart,
      Runnable onEnd,
      Consumer<Throwable> onLost) {
    this.engines = engines.toArray(Engine[]::new);
    this.idle = strategy(idling);
    this.onStart = onStart;
    this.onEnd = onEnd;
    this.onLost = onLost;
    this.thread = new Thread(this::run, name);
  }

  /**
   * Spinning is for a core that nobody else wants; yielding lets two threads share one without
   * either waiting out a time slice; parking is for when nothing has happened for long.
   */
  private static IdleStrategy strategy(IdleMode idling) {
    return switch (idling) {
      case SPIN -> BusySpinIdleStrategy.INSTANCE;
      case YIELD -> YieldingIdleStrategy.INSTANCE;
      case PARK -> new SleepingIdleStrategy(LONGEST_PARK);
      case BACKOFF -> new BackoffIdleStrategy(100, 1_000, SHORTEST_PARK, LONGEST_PARK);
    };
  }

  /** Starts it. */
  public void start() {
    thread.start();
  }

  private void run() {
    try {
      onStart.run();
      try {
        takeTurns();
      } finally {
        for (Engine engine : engines) {
          engine.close();
        }
        onEnd.run();
      }
    } catch (RuntimeException | Error e) {
      onLost.accept(e);
    }
  }

  private void takeTurns() {
    while (running) {
      long now = System.nanoTime();
      int work = 0;
      for (Engine engine : engines) {
        work += turn(engine, now);
      }
      idle.idle(work);
    }
  }

  /**
   * A turn of one engine. What fails inside one connection or session has been dealt with there;
   * what gets here may have left part of the turn undone. One that keeps failing is beyond help,
   * and programs that wait for it must be told so: the thread ends.
   */
  private int turn(Engine engine, long now) {
    try {
      int work = engine.turn(now);
      failures = 0;
      return work;
    } catch (RuntimeException | Error e) {
      engine.fault("turn", e);
      if (++failures >= HOPELESS) {
        throw e;
      }
      return 1;
    }
  }

  /** Whether it has been started and has not ended. */
  public boolean isAlive() {
    return thread.isAlive();
  }

  /** Stops it after its turn, ends its engines, and waits for that. */
  @Override
  public void close() {
    running = false;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
