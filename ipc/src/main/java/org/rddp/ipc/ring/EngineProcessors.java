package org.rddp.ipc.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.linux.TimeSlice;

/**
 * Moves threads of a program that poll, on machines with two processors. With more, the kernel
 * finds one by itself. Thread-safe.
 *
 * <p>A thread that polls on an engine's processor takes turns with the engine while the other one
 * is idle: a round trip then takes several times as long. So it leaves that processor. Beside
 * threads that do not wait it is the other way round: one of these keeps a processor for
 * milliseconds once it has it, so engine and program go on much quicker side by side, where they
 * yield to each other.
 */
public final class EngineProcessors {
  /** Time in ns between moves of two threads: many that poll would crowd the other processor. */
  static final long BETWEEN_THREADS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Time in ns between two moves of a thread, which the kernel may have moved back meanwhile. */
  private static final long BETWEEN_MOVES = TimeUnit.MILLISECONDS.toNanos(1);

  /** A yield that takes this long, in ns, gave the processor to a thread that does not wait. */
  static final long LOST = TimeUnit.MICROSECONDS.toNanos(500);

  private static final int TWO = 2;

  /** Whether threads are moved at all. */
  private static final boolean MOVES =
      Runtime.getRuntime().availableProcessors() == TWO && !isFiltered();

  private final IntPredicate hasEngine;
  private final LongSupplier clock;

  /** The id of the thread that was moved last. */
  private long mover;

  private long movedAt;

  private final EngineStay stay;

  /**
   * Takes how to ask for engines.
   *
   * @param hasEngine whether an engine of the session was last seen on a processor, from 0 on
   */
  public EngineProcessors(IntPredicate hasEngine) {
    this(hasEngine, System::nanoTime);
  }

  /** For tests. */
  EngineProcessors(IntPredicate hasEngine, LongSupplier clock) {
    this.hasEngine = hasEngine;
    this.clock = clock;
    movedAt = clock.getAsLong() - BETWEEN_THREADS;
    stay = new EngineStay(clock.getAsLong());
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
    return MOVES
        && hasEngine.test(ThreadScheduling.currentProcessor())
        && mayLeave(clock.getAsLong())
        && move(false);
  }

  /**
   * Gives the processor to other threads, in short time slices, after moving the thread to another
   * one if that is better. For platform threads.
   */
  @SuppressWarnings("ThreadPriorityCheck") // That is what it is for.
  public void yieldProcessor() {
    TimeSlice.shortenOnce();
    if (leave()) {
      return;
    }
    long began = clock.getAsLong();
    Thread.yield();
    long now = clock.getAsLong();
    if (now - began >= LOST
        && MOVES
        && !hasEngine.test(ThreadScheduling.currentProcessor())
        && mayJoin(now)) {
      move(true);
    }
  }

  private synchronized boolean mayLeave(long now) {
    return stay.isOver(now) && mayMove(now);
  }

  private synchronized boolean mayJoin(long now) {
    if (!mayMove(now)) {
      return false;
    }
    stay.begin(now);
    return true;
  }

  private boolean mayMove(long now) {
    long thread = Thread.currentThread().threadId();
    if (now - movedAt < (thread == mover ? BETWEEN_MOVES : BETWEEN_THREADS)) {
      return false;
    }
    mover = thread;
    movedAt = now;
    return true;
  }

  /** Moves the thread to a processor with an engine, or to one without. */
  private boolean move(boolean engine) {
    try {
      int[] allowed = ThreadScheduling.allowedProcessors();
      for (int each : allowed) {
        if (allowed.length == TWO && hasEngine.test(each) == engine) {
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
