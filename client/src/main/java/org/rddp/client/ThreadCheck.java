package org.rddp.client;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Notices two threads in one session at the same time, if {@code -Drddp.client.check-threads=true}
 * is set: a debugging aid, which costs some nanoseconds for each call. It sees a call that begins
 * while another thread is polling, waiting, or in a handler; two threads that only post may pass
 * unseen.
 */
final class ThreadCheck {
  /** A constant for the JVM's compilers, so that the checks cost nothing without the flag. */
  private static final boolean ON = Boolean.getBoolean("rddp.client.check-threads");

  private final AtomicReference<Thread> inside = new AtomicReference<>();

  /** A post begins. */
  void check() {
    if (ON) {
      Thread other = inside.get();
      if (other != null && !other.equals(Thread.currentThread())) {
        throw violation(other);
      }
    }
  }

  /** A call begins that passes completions; returns whether {@link #leave} has to be called. */
  boolean enter() {
    if (!ON) {
      return false;
    }
    Thread other = inside.compareAndExchange(null, Thread.currentThread());
    if (other != null && !other.equals(Thread.currentThread())) {
      throw violation(other);
    }
    return other == null;
  }

  /** The call ends. */
  void leave(boolean entered) {
    if (entered) {
      inside.set(null);
    }
  }

  private static IllegalStateException violation(Thread other) {
    return new IllegalStateException(
        "thread \"%s\" uses a session in which thread \"%s\" is: posts and polls are for one thread at a time"
            .formatted(Thread.currentThread().getName(), other.getName()));
  }
}
