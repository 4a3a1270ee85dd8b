package org.rddp.daemon.control;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/** Delayed tasks of the control thread. For that thread only, once it is started. */
final class ControlTimers {
  private record Timer(long deadline, Runnable task) {}

  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>((a, b) -> Long.compare(a.deadline - b.deadline, 0));

  /** Runs a task after a delay in ns. */
  void after(long nanos, Runnable task) {
    timers.add(new Timer(System.nanoTime() + nanos, task));
  }

  /**
   * Runs a task when the clock next shows a multiple of a period in ns, so that periodic tasks wake
   * the thread together.
   */
  void atMultipleOf(long period, Runnable task) {
    long now = System.nanoTime();
    timers.add(new Timer(now + period - Math.floorMod(now, period), task));
  }

  /** Passes every due task to the runner. */
  void run(Consumer<Runnable> runner) {
    long now = System.nanoTime();
    while (!timers.isEmpty() && timers.peek().deadline - now <= 0) {
      runner.accept(timers.poll().task);
    }
  }

  /** Time in ns until the next task, 0 if it is due, or -1 if there is none. */
  long untilNext() {
    return timers.isEmpty() ? -1 : Math.max(0, timers.peek().deadline - System.nanoTime());
  }
}
