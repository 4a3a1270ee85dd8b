package org.rddp.ipc.control;

/** Waits for threads that use what is closed next. */
public final class ThreadEnd {
  private ThreadEnd() {}

  /** Waits until a thread has ended; an interrupt does not end the wait, and is kept. */
  public static void await(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
