package org.rddp.daemon;

import org.rddp.daemon.configuration.EngineConfiguration;
import org.rddp.daemon.configuration.ThreadPriority;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.linux.TimeSlice;

/**
 * Precedence for the thread that hands a daemon over, or takes it, while no engine runs and nobody
 * serves programs and peers. Threads that it starts meanwhile, such as those of executors that had
 * nothing to do before, do not inherit it: they have the nice value 0.
 */
final class Urgency {
  private static final int FIRST = -20;

  private final boolean wanted;

  /** The nice value of the thread before. */
  private int usual;

  private boolean begun;

  /**
   * Creates one that has not begun.
   *
   * @param engine of the daemon: if its engines yield to other threads, as in a rehearsal, so does
   *     this one
   */
  Urgency(EngineConfiguration engine) {
    ThreadPriority priority = engine.priority();
    wanted = priority.kind() != ThreadPriority.Kind.NICE || priority.value() < 0;
  }

  /** Lets the calling thread run before others, if the process has CAP_SYS_NICE. */
  void begin() {
    if (!begun && wanted && TimeSlice.shortenAlone()) {
      begun = true;
      usual = ThreadScheduling.nice();
      nice(FIRST);
    }
  }

  /** Lets the calling thread, which has begun it, be as before. */
  void end() {
    if (begun) {
      begun = false;
      nice(usual);
      TimeSlice.restore();
    }
  }

  private static void nice(int value) {
    try {
      ThreadScheduling.nice(value);
    } catch (SystemCallException withoutTheRight) {
      // The pause is longer where processors are busy.
    }
  }
}
