package org.rddp.daemon.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.rddp.daemon.configuration.IdleMode;
import org.rddp.ipc.ring.AdaptivePolling;

/** A thread that runs the duty cycles of one or several engines until it is stopped. */
public final class EngineThread {
  /**
   * Turns in vain after which a thread yields: some microseconds, which a thread that shares its
   * core has to wait each time.
   */
  private static final int SPINS = 10;

  private static final long SHORTEST_PARK = 1_000;
  private static final long LONGEST_PARK = 100_000;

  /** Longest time in ns that it polls before it sleeps. */
  private static final long POLLING = 50_000;

  /** Calls of the stack that {@link #activity} names. */
  private static final int CALLS = 8;

  private final Engine[] engines;
  private final IdleStrategy idle;
  private final EngineSleep sleep;
  private final AdaptivePolling polling = new AdaptivePolling(POLLING);
  private final Runnable onStart;
  private final Runnable onEnd;
  private final Consumer<Throwable> onLost;
  private final Thread thread;

  /** Whether it makes turns: it was asked for no pause, and not to end. */
  private volatile boolean running = true;

  /** Whether it was asked to end. */
  private volatile boolean ending;

  /** A pause that was asked for; null: none. */
  private volatile Pause pause;

  /** Whether its engines are left to another daemon at its end. */
  private volatile boolean retiring;

  /** The value of {@link #lastTurn} while the thread sleeps. */
  private static final long ASLEEP = Long.MAX_VALUE;

  /** When the last turn began, on the clock of {@link System#nanoTime}, or {@link #ASLEEP}. */
  private final AtomicLong lastTurn = new AtomicLong();

  /** The engine of the current or last turn; other threads may see an earlier one. */
  private Engine turning;

  /**
   * Creates a thread, not started.
   *
   * @param sleep its sleep, which it closes at its end; null unless it idles by {@link
   *     IdleMode#INTERRUPT}
   * @param onStart called first on the thread, to register it with DPDK for example
   * @param onEnd called last on the thread
   * @param onLost called with the reason when it ends without {@link #stop}
   */
  public EngineThread(
      String name,
      List<Engine> engines,
      IdleMode idling,
      EngineSleep sleep,
      Runnable onStart,
      Runnable onEnd,
      Consumer<Throwable> onLost) {
    this.engines = engines.toArray(Engine[]::new);
    this.idle = strategy(idling);
    this.sleep = sleep == null ? EngineSleep.NEVER : sleep;
    engines.forEach(engine -> engine.sleepBy(this.sleep));
    this.onStart = onStart;
    this.onEnd = onEnd;
    this.onLost = onLost;
    this.thread = new Thread(this::run, name);
  }

  /**
   * Spins first, which suits a core of its own; then yields, so that two threads that share a core
   * do not wait for the end of a time slice; then parks while idle for long.
   */
  private static IdleStrategy strategy(IdleMode idling) {
    return switch (idling) {
      case SPIN -> BusySpinIdleStrategy.INSTANCE;
      case YIELD -> YieldingIdleStrategy.INSTANCE;
      case PARK -> new SleepingIdleStrategy(LONGEST_PARK);
      case INTERRUPT -> new YieldingIdleStrategy();
      case BACKOFF -> new BackoffIdleStrategy(SPINS, 1_000, SHORTEST_PARK, LONGEST_PARK);
    };
  }

  /** Starts it. */
  public void start() {
    lastTurn.set(System.nanoTime());
    thread.start();
  }

  private void run() {
    try {
      onStart.run();
      try {
        do {
          takeTurns();
        } while (goesOn());
      } finally {
        for (Engine engine : engines) {
          if (retiring) {
            engine.retire();
          } else {
            engine.close();
          }
        }
        sleep.close();
        onEnd.run();
      }
    } catch (RuntimeException | Error e) {
      onLost.accept(e);
    }
  }

  private void takeTurns() {
    while (running) {
      int work = turns(System.nanoTime());
      if (work == 0 && sleep.isAllowed()) {
        rest();
      } else {
        idle.idle(work);
      }
    }
  }

  /**
   * Waits for the end of a pause, if there is one; returns whether it goes on, with turns or the
   * next pause.
   */
  private boolean goesOn() {
    Pause now = pause;
    if (now != null) {
      lastTurn.set(ASLEEP);
      now.take();
      lastTurn.set(System.nanoTime());
    }
    return !ending;
  }

  private int turns(long now) {
    lastTurn.setOpaque(now);
    int work = 0;
    for (Engine engine : engines) {
      work += turn(engine, now);
    }
    return work;
  }

  /** Polls for a while, and then sleeps until there is work. */
  private void rest() {
    polling.begin();
    while (running && polling.goesOn()) {
      if (turns(System.nanoTime()) > 0) {
        polling.succeed();
        return;
      }
    }
    long spun = System.nanoTime() + Long.getLong("rddp.spin", 0);
    while (running && System.nanoTime() < spun) {
      if (turns(System.nanoTime()) > 0) {
        return;
      }
    }
    int work = 0;
    while (running && work == 0) {
      sleep.announce();
      work = turns(System.nanoTime());
      if (work == 0) {
        lastTurn.setOpaque(ASLEEP);
        sleep.await(engines);
        lastTurn.setOpaque(System.nanoTime());
      }
      sleep.end();
      if (work == 0) {
        work = turns(System.nanoTime());
      }
    }
  }

  /**
   * Makes a turn of one engine. The engine handles errors of one connection or session; an
   * exception that reaches this method may have left part of the turn undone. If turns keep
   * failing, the engine restarts, and if that does not help, the thread ends, so that waiting
   * programs learn of it.
   */
  private int turn(Engine engine, long now) {
    turning = engine;
    try {
      int work = engine.turn(now);
      engine.turnSucceeded();
      return work;
    } catch (RuntimeException | Error e) {
      if (!engine.turnFailed(e, now)) {
        throw e;
      }
      return 1;
    }
  }

  /** The engine of the current or last turn. */
  public Engine turning() {
    return turning;
  }

  /**
   * Time in ns since it began its last turn, or since it was started; 0 while it sleeps. Any thread
   * may call this, once it has been started.
   */
  public long sinceTurn() {
    long last = lastTurn.getOpaque();
    return last == ASLEEP ? 0 : System.nanoTime() - last;
  }

  /** Its name. */
  public String name() {
    return thread.getName();
  }

  /** The engines whose turns it makes. */
  public List<Engine> engines() {
    return List.of(engines);
  }

  /** The calls on its stack, the latest first. Empty if it has ended. */
  public String activity() {
    return Arrays.stream(thread.getStackTrace())
        .limit(CALLS)
        .map(call -> call.getClassName() + "." + call.getMethodName())
        .collect(Collectors.joining(", "));
  }

  /** Whether it has been started and has not ended. */
  public boolean isAlive() {
    return thread.isAlive();
  }

  /**
   * Lets it make no turn after the current one, until {@link #resume}, {@link #stop} or {@link
   * #retire}. Its engines may be used by the caller meanwhile.
   *
   * @param nanos the longest wait for the end of the current turn, in ns
   * @return false if that has not come: then it goes on
   */
  public boolean pause(long nanos) {
    Pause begun = new Pause();
    begin(begun);
    sleep.wake();
    if (begun.await(nanos)) {
      return true;
    }
    resume();
    return false;
  }

  private synchronized void begin(Pause begun) {
    pause = begun;
    running = false;
  }

  /** Takes note, in a pause, that ports may have been opened again. */
  public void devicesReopened() {
    sleep.devicesReopened();
  }

  /** Ends a pause, if there is one. */
  public synchronized void resume() {
    running = !ending;
    endPause();
  }

  private void endPause() {
    Pause ended = pause;
    pause = null;
    if (ended != null) {
      ended.end();
    }
  }

  /** Tells it to end its engines, and itself, after the current turn. */
  public synchronized void stop() {
    ending = true;
    running = false;
    sleep.wake();
    endPause();
  }

  /** Gives back what a thread has that is never started. */
  public void discard() {
    sleep.close();
  }

  /** Tells it to end, and to leave the connections of its engines to another daemon. */
  public void retire() {
    retiring = true;
    stop();
  }

  /**
   * Waits until it has ended; an interrupt does not end the wait.
   *
   * @param nanos the longest time, in ns; 0 or less: does not wait
   * @return false if it has not ended in that time
   */
  public boolean awaitEnd(long nanos) {
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    for (long left = nanos; thread.isAlive() && left > 0; left = deadline - System.nanoTime()) {
      try {
        thread.join(Duration.ofNanos(left));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
