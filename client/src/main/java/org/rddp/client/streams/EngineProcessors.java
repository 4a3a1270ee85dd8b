package org.rddp.client.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.ring.Doorbells;

/**
 * The processors that the engines of a session were seen on. On a machine with two, a thread that
 * polls on an engine's takes turns with the engine while the other one is idle: a round trip then
 * takes twice as long. With more than two, the kernel finds one by itself. Thread-safe.
 */
final class EngineProcessors {
  /** Time in ns between two moves: where many threads poll, they would crowd the other one. */
  private static final long BETWEEN_MOVES = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int TWO = 2;

  /** Whether threads are moved at all. */
  private static final boolean MOVES =
      Runtime.getRuntime().availableProcessors() == TWO && !isFiltered();

  private final Doorbells[] sections;
  private final AtomicLong nextMove = new AtomicLong(System.nanoTime());

  EngineProcessors(Doorbells[] sections) {
    this.sections = sections;
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
   * the thread may use all: those that somebody has chosen for it are left as they are. Returns
   * whether it has.
   */
  boolean leave() {
    if (!MOVES) {
      return false;
    }
    int here = ThreadScheduling.currentProcessor();
    if (!hasEngine(here)) {
      return false;
    }
    long now = System.nanoTime();
    long next = nextMove.get();
    return now - next >= 0 && nextMove.compareAndSet(next, now + BETWEEN_MOVES) && move();
  }

  private boolean hasEngine(int processor) {
    for (Doorbells each : sections) {
      if (each.processor() == processor) {
        return true;
      }
    }
    return false;
  }

  private boolean move() {
    try {
      int[] allowed = ThreadScheduling.allowedProcessors();
      for (int each : allowed) {
        if (allowed.length == TWO && !hasEngine(each)) {
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
