package org.rddp.daemon.control;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.rddp.ipc.linux.EventFd;

/** Tasks from any thread, which the control thread runs in order. */
final class ControlTasks {
  /** Most tasks run between two rounds of accepting programs and running timers. */
  private static final int IN_A_TURN = 256;

  private final ManyToOneConcurrentLinkedQueue<Runnable> tasks =
      new ManyToOneConcurrentLinkedQueue<>();

  /** Number of waiting tasks; the queue would count them one by one. */
  private final AtomicInteger waiting = new AtomicInteger();

  private final EventFd wake;

  /** Whether {@link #wake} has been signalled since the control thread looked for tasks. */
  private final AtomicBoolean woken = new AtomicBoolean();

  /**
   * Creates an empty queue.
   *
   * @param wake signalled so that the control thread ends its wait
   */
  ControlTasks(EventFd wake) {
    this.wake = wake;
  }

  /** Adds a task. Any thread may call this. */
  void add(Runnable task) {
    waiting.incrementAndGet();
    tasks.add(task);
    if (!woken.getAndSet(true)) {
      wake.signal();
    }
  }

  /** Approximate number of waiting tasks. Any thread may call this. */
  int waiting() {
    return waiting.get();
  }

  /** Whether none waits. Control thread only. */
  boolean isEmpty() {
    return tasks.isEmpty();
  }

  /** Passes the tasks of a turn to the runner, after its wait. Control thread only. */
  void run(Consumer<Runnable> runner) {
    woken.set(false);
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
