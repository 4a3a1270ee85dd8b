package org.rddp.nio;

import java.util.concurrent.atomic.AtomicInteger;
import org.rddp.ipc.linux.Descriptor;

/**
 * A stream or a listener that stays open until it is closed and nobody uses it any more: an access
 * to memory that is not mapped would end the JVM. Thread-safe.
 */
final class Shared<T> {
  /** Set once it is closed. */
  private static final int CLOSED = Integer.MIN_VALUE;

  private final T object;
  private final Descriptor descriptor;
  private final Runnable end;
  private final Runnable free;
  private final AtomicInteger users = new AtomicInteger();

  /**
   * A new one.
   *
   * @param descriptor that becomes ready
   * @param end ends it for daemon and peer, while others may still use it
   * @param free frees it after the last use
   */
  Shared(T object, Descriptor descriptor, Runnable end, Runnable free) {
    this.object = object;
    this.descriptor = descriptor;
    this.end = end;
    this.free = free;
  }

  /** Begins a use, which {@link #release} ends. Returns null if it is closed. */
  T acquire() {
    int now;
    do {
      now = users.get();
      if (now < 0) {
        return null;
      }
    } while (!users.compareAndSet(now, now + 1));
    return object;
  }

  /** Ends a use. */
  void release() {
    if (users.decrementAndGet() == CLOSED) {
      free.run();
    }
  }

  /** What becomes ready, during a use. */
  Descriptor descriptor() {
    return descriptor;
  }

  /** Ends it now, and frees it after the last use. */
  void close() {
    if (acquire() != null) {
      users.getAndUpdate(now -> now | CLOSED);
      end.run();
      release();
    }
  }
}
