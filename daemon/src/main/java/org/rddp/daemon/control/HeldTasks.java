package org.rddp.daemon.control;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Runs tasks, or keeps them until they may be run. Thread-safe. */
final class HeldTasks {
  private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
  private volatile boolean holding;

  /** Runs a task now, or with {@link #resume}. */
  void run(Runnable task) {
    if (holding) {
      held.add(task);
      if (!holding) {
        runHeld(); // It may have been added too late for the other thread.
      }
    } else {
      task.run();
    }
  }

  /** Keeps tasks from now on. */
  void hold() {
    holding = true;
  }

  /** Whether tasks are kept. */
  boolean isHolding() {
    return holding;
  }

  /** Runs what has been kept, and all tasks from now on. */
  void resume() {
    holding = false;
    runHeld();
  }

  private void runHeld() {
    for (Runnable task = held.poll(); task != null; task = held.poll()) {
      task.run();
    }
  }
}
