package org.rddp.client;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Detects two threads in one session at the same time, if {@code -Drddp.client.check-threads=true}
 * is set: a debugging aid, which costs some nanoseconds for each call. Detects a call that begins
 * while another thread polls, waits, or is in a handler; may miss two threads that only post.
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

  /** Begins a call that passes completions; returns whether to call {@link #leave}. */
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
