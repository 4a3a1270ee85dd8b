package org.rddp.daemon.control;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.rddp.ipc.linux.EventFd;

/** Tasks that any thread gives to the control thread, which runs them in their order. */
final class ControlTasks {
  /** Largest number run before programs are accepted, and timers run, again. */
  private static final int IN_A_TURN = 256;

  private final ManyToOneConcurrentLinkedQueue<Runnable> tasks =
      new ManyToOneConcurrentLinkedQueue<>();

  /** How many wait; the queue would count them one by one. */
  private final AtomicInteger waiting = new AtomicInteger();

  private final EventFd wake;

  /**
   * No tasks.
   *
   * @param wake signalled for each task, so that the control thread ends its wait
   */
  ControlTasks(EventFd wake) {
    this.wake = wake;
  }

  /** Adds a task. Any thread may call this. */
  void add(Runnable task) {
    waiting.incrementAndGet();
    tasks.add(task);
    wake.signal();
  }

  /** About how many wait. Any thread may call this. */
  int waiting() {
    return waiting.get();
  }

  /** Whether none waits. Control thread only. */
  boolean isEmpty() {
    return tasks.isEmpty();
  }

  /** Passes on the tasks of a turn. Control thread only. */
  void run(Consumer<Runnable> runner) {
    for (int i = 0; i < IN_A_TURN; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      waiting.decrementAndGet();
      runner.accept(task);
    }
  }
}
