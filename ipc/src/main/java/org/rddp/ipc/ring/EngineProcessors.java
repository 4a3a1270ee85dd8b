package org.rddp.ipc.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.rddp.ipc.linux.ProcessorMask;
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

  /** The machine's processors; none if threads are not moved at all. */
  private static final int[] BOTH = both();

  private static final ProcessorMask[] ONLY =
      Arrays.stream(BOTH).mapToObj(ProcessorMask::of).toArray(ProcessorMask[]::new);

  private static final ProcessorMask ALL = ProcessorMask.all();

  private final IntPredicate hasEngine;
  private final LongSupplier clock;

  /** The id of the thread that was moved last. */
  private long mover;

  private long movedAt;

  private final EngineStay stay;

  /** The processors of the calling thread. */
  private final ProcessorMask allowed = ProcessorMask.none();

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

  private static int[] both() {
    try {
      String online = Files.readString(Path.of("/sys/devices/system/cpu/online"));
      return ThreadScheduling.isFiltered()
          ? new int[0]
          : both(ThreadScheduling.processorsOfProcess(), online);
    } catch (IOException e) {
      return new int[0];
    }
  }

  /**
   * Those of a process that may use all of a machine with two; none otherwise. A process that may
   * use two of more was restricted to them, which moves would undo.
   *
   * @param online the machine's, as Linux lists them: "0-3,8"
   */
  static int[] both(int[] ofProcess, String online) {
    if (ofProcess.length != 2) {
      return new int[0];
    }
    String between = ofProcess[1] == ofProcess[0] + 1 ? "-" : ",";
    boolean all = online.strip().equals(ofProcess[0] + between + ofProcess[1]);
    return all ? ofProcess : new int[0];
  }

  /**
   * Moves the calling thread away from a processor with an engine, if another one has none, and if
   * the thread may use all: those that somebody has chosen for it are left as they are. For 100 ms
   * only one thread is moved. Returns whether it has.
   */
  public boolean leave() {
    return BOTH.length > 0
        && hasEngine.test(ThreadScheduling.currentProcessor())
        && leave(clock.getAsLong());
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
        && BOTH.length > 0
        && !hasEngine.test(ThreadScheduling.currentProcessor())) {
      join(now);
    }
  }

  private synchronized boolean leave(long now) {
    return stay.isOver(now) && mayMove(now) && move(false);
  }

  private synchronized void join(long now) {
    if (mayMove(now) && move(true)) {
      stay.begin(now);
    }
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
    if (!allowed.read() || allowed.count() != BOTH.length) {
      return false;
    }
    for (int i = 0; i < BOTH.length; i++) {
      if (hasEngine.test(BOTH[i]) == engine && ONLY[i].apply()) {
        // Otherwise it would not use processors that the process gets later.
        return ALL.apply();
      }
    }
    return false;
  }
}
