package org.rddp.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A thread that sleeps until a descriptor is ready or another thread wakes it. A platform thread
 * sleeps in poll(2); a virtual one parks, so its carrier runs others.
 */
abstract sealed class Waiter permits Waiter.OfPlatformThread, VirtualWaiter {
  /** Longest sleep in ns before the caller looks again, in case a signal is missed. */
  static final long LONGEST = 1_000_000_000;

  /** What makes a descriptor ready. */
  enum Event {
    /** There is something to receive. */
    IN,
    /** There is room for sending. */
    OUT
  }

  /** The one of this thread. */
  static Waiter current() {
    return Thread.currentThread().isVirtual()
        ? new VirtualWaiter(Thread.currentThread())
        : OfPlatformThread.OWN.get();
  }

  /**
   * Sleeps. May return for no reason.
   *
   * @param nanos the longest time, greater than 0; cut to {@link #LONGEST}
   */
  abstract void await(Descriptor descriptor, Event event, long nanos) throws IOException;

  /** Makes the thread's next or present sleep end. Any thread. */
  abstract void wake();

  /** Sleeps in poll(2). */
  static final class OfPlatformThread extends Waiter {
    private static final ThreadLocal<OfPlatformThread> OWN =
        ThreadLocal.withInitial(OfPlatformThread::new);

    private final PollSet poll = new PollSet();
    private final EventFd signal;

    private OfPlatformThread() {
      try {
        signal = EventFd.create();
      } catch (SystemCallException e) {
        throw new UncheckedIOException(e);
      }
      // Nobody can wake a thread that has ended: channels name it only while it is inside a call.
      Cleaners.closeAfter(this, signal);
    }

    @Override
    void await(Descriptor descriptor, Event event, long nanos) throws IOException {
      poll.clear();
      if (event == Event.IN) {
        poll.add(descriptor);
      } else {
        poll.addForSending(descriptor);
      }
      int woken = poll.add(signal.descriptor());
      poll.await(Math.min(nanos, LONGEST));
      if (poll.isReady(woken)) {
        signal.clear();
      }
    }

    @Override
    void wake() {
      signal.signal();
    }
  }
}
