package org.rddp.ipc.linux;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file descriptor that this process owns, closed exactly once.
 *
 * <p>Thread-safe; but whoever closes it makes sure that no other thread is about to use the number.
 */
public final class Descriptor implements AutoCloseable {
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final SystemCall CLOSE = SystemCall.bind("close", "i:i");
  private static final SystemCall FCNTL = SystemCall.bind("fcntl", "i:ii.i");
  private static final int CLOSED = -1;

  private final AtomicInteger number;

  private Descriptor(int number) {
    this.number = new AtomicInteger(number);
  }

  /** Takes over an open descriptor. */
  public static Descriptor of(long number) {
    return new Descriptor((int) number);
  }

  /**
   * The kernel's number for it.
   *
   * @throws IllegalStateException when it is closed
   */
  public int number() {
    int now = number.get();
    if (now == CLOSED) {
      throw new IllegalStateException("the descriptor is closed");
    }
    return now;
  }

  /** Whether {@link #close()} has not been called yet. */
  public boolean isOpen() {
    return number.get() != CLOSED;
  }

  /** Another descriptor for the same open file. */
  public Descriptor duplicate() throws SystemCallException {
    return of(FCNTL.call(number(), F_DUPFD_CLOEXEC, 0));
  }

  /** Closes it; the second time does nothing. */
  @Override
  public void close() {
    int last = number.getAndSet(CLOSED);
    if (last != CLOSED) {
      // Linux frees the number whatever close(2) answers, so there is nothing to try again.
      CLOSE.attempt(last);
    }
  }

  @Override
  public String toString() {
    return "descriptor " + number.get();
  }
}
