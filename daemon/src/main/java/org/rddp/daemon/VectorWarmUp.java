package org.rddp.daemon;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.rddp.crc.Crc32c;
import org.rddp.wire.Checksum;

/**
 * Warms up the vector code for checksums and CRCs on a thread of its own; until that ends, engines
 * use the JDK's code. HotSpot compiles the vector code for seconds. So that engines' own code is
 * compiled first, the warm-up begins when programs have had time to connect, and waits for some
 * time while engines have traffic.
 */
final class VectorWarmUp {
  /** Before the first round, in ns. */
  static final long BEGINNING = 1_000_000_000;

  /** Pause between two rounds in ns, so that it takes at most half of a core. */
  static final long PAUSE = 500_000;

  /** Each wait for busy engines, in ns, and how many there are at most. */
  static final long WAIT = 100_000_000;

  static final int MOST_WAITS = 50;

  /** So many turns with work since the last look make engines busy; those of a few messages. */
  static final int MANY_TURNS = 8;

  /** The one of this process, whose code it warms up; null before. */
  private static VectorWarmUp ofProcess;

  private volatile LongSupplier turns;
  private final LongConsumer sleep;
  private final Thread thread = new Thread(this::run, "rddp-vectors");
  private Runnable checksum;
  private Runnable crc;
  private long seen;
  private int waits;

  /**
   * Creates a warm-up that has not run.
   *
   * @param turns of all engines that had work
   */
  VectorWarmUp(LongSupplier turns) {
    this(turns, LockSupport::parkNanos);
  }

  /** For tests. */
  VectorWarmUp(LongSupplier turns, LongConsumer sleep) {
    this.turns = turns;
    this.sleep = sleep;
  }

  /**
   * Starts the warm-up, once in a process, which may have a rehearsal's daemons before its own. It
   * waits for the engines of the last one.
   *
   * @param turns of all engines that had work
   */
  static synchronized void start(LongSupplier turns) {
    if (ofProcess == null) {
      ofProcess = new VectorWarmUp(turns);
      ofProcess.start();
    } else {
      ofProcess.turns = turns;
    }
  }

  /** Waits for the end of the process's warm-up; returns false at the timeout. */
  static synchronized boolean awaitEnd(Duration timeout) throws InterruptedException {
    return ofProcess == null || ofProcess.thread.join(timeout);
  }

  /** Chooses the code for vectors, and starts the thread. */
  void start() {
    checksum = Checksum.warmUp(this::pause);
    crc = Crc32c.trial(System::nanoTime, this::pause);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    sleep.accept(BEGINNING);
    pause();
    checksum.run();
    crc.run();
  }

  /** Pauses, for longer while engines are busy. */
  void pause() {
    sleep.accept(PAUSE);
    while (isBusy() && waits < MOST_WAITS) {
      waits++;
      sleep.accept(WAIT);
    }
  }

  private boolean isBusy() {
    long now = turns.getAsLong();
    boolean busy = now - seen >= MANY_TURNS;
    seen = now;
    return busy;
  }
}
