package org.rddp.ipc.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;

/**
 * Moves threads of a program that poll away from the processors that engines were seen on. On a
 * machine with two, a thread that polls on an engine's takes turns with the engine while the other
 * one is idle: a round trip then takes several times as long. With more than two, the kernel finds
 * one by itself. Thread-safe.
 */
public final class EngineProcessors {
  /** Time in ns between moves of two threads: many that poll would crowd the other processor. */
  private static final long BETWEEN_THREADS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Time in ns between two moves of a thread, which the kernel may have moved back meanwhile. */
  private static final long BETWEEN_MOVES = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int TWO = 2;

  /** Whether threads are moved at all. */
  private static final boolean MOVES =
      Runtime.getRuntime().availableProcessors() == TWO && !isFiltered();

  private final IntPredicate hasEngine;

  /** The id of the thread that was moved last. */
  private long mover;

  private long movedAt = System.nanoTime() - BETWEEN_THREADS;

  /**
   * Takes how to ask for engines.
   *
   * @param hasEngine whether an engine of the session was last seen on a processor, from 0 on
   */
  public EngineProcessors(IntPredicate hasEngine) {
    this.hasEngine = hasEngine;
  }

  /** A filter of system calls may not know of those that move a thread. */
  private static boolean isFiltered() {
    try {
      return !Files.readString(Path.of("/proc/self/status")).contains("\nSeccomp:\t0\n");
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Moves the calling thread away from a processor with an engine, if another one has none, and if
   * the thread may use all: those that somebody has chosen for it are left as they are. For 100 ms
   * only one thread is moved. Returns whether it has.
   */
  public boolean leave() {
    return MOVES && hasEngine.test(ThreadScheduling.currentProcessor()) && mayMove() && move();
  }

  private synchronized boolean mayMove() {
    long now = System.nanoTime();
    long thread = Thread.currentThread().threadId();
    if (now - movedAt < (thread == mover ? BETWEEN_MOVES : BETWEEN_THREADS)) {
      return false;
    }
    mover = thread;
    movedAt = now;
    return true;
  }

  private boolean move() {
    try {
      int[] allowed = ThreadScheduling.allowedProcessors();
      for (int each : allowed) {
        if (allowed.length == TWO && !hasEngine.test(each)) {
          ThreadScheduling.move(each);
          return true;
        }
      }
    } catch (SystemCallException e) {
      // It stays where it is.
    }
    return false;
  }
}
