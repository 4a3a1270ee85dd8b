package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Waits with poll(2) until one of several descriptors is readable or its other end is closed. For
 * use by one thread.
 */
public final class PollSet {
  /** The key of no descriptor, which is never ready. */
  public static final int NONE = -1;

  private static final int POLLIN = 1;
  private static final int POLLOUT = 4;
  private static final int ENTRY = 8;
  private static final SystemCall POLL = SystemCall.bind("poll", "i:lli");

  private MemorySegment entries = Arena.ofAuto().allocate(8L * ENTRY, 8);
  private int size;

  /** Removes all descriptors. */
  public void clear() {
    size = 0;
  }

  /**
   * Adds a descriptor.
   *
   * @return its key for {@link #isReady}, until {@link #clear}
   */
  public int add(Descriptor descriptor) {
    return add(descriptor, POLLIN);
  }

  /**
   * Adds a descriptor that is ready when octets can be sent.
   *
   * @return its key for {@link #isReady}, until {@link #clear}
   */
  public int addForSending(Descriptor descriptor) {
    return add(descriptor, POLLOUT);
  }

  private int add(Descriptor descriptor, int events) {
    if ((long) size * ENTRY == entries.byteSize()) {
      MemorySegment larger = Arena.ofAuto().allocate(2 * entries.byteSize(), 8);
      larger.copyFrom(entries);
      entries = larger;
    }
    entries.set(ValueLayout.JAVA_INT, (long) size * ENTRY, descriptor.number());
    entries.set(ValueLayout.JAVA_SHORT, (long) size * ENTRY + 4, (short) events);
    entries.set(ValueLayout.JAVA_SHORT, (long) size * ENTRY + 6, (short) 0);
    return size++;
  }

  /**
   * Waits.
   *
   * @param timeoutNanos the longest wait, rounded up to milliseconds; negative: without limit, 0:
   *     do not wait
   * @return number of ready descriptors; 0 at the timeout
   */
  public int await(long timeoutNanos) throws SystemCallException {
    long start = System.nanoTime();
    while (true) {
      long millis = -1;
      if (timeoutNanos >= 0) {
        long left = Math.max(0, timeoutNanos - (System.nanoTime() - start));
        millis = Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(left + 999_999));
      }
      long ready = POLL.attempt(entries.address(), size, millis);
      if (ready >= 0) {
        return (int) ready;
      }
      if (ready != -Errno.EINTR) {
        throw new SystemCallException("poll", (int) -ready);
      }
    }
  }

  /** Whether the descriptor with this key is readable, at its end, or failed. */
  public boolean isReady(int key) {
    if (key < NONE || key >= size) {
      throw new IndexOutOfBoundsException(key);
    }
    return key != NONE && entries.get(ValueLayout.JAVA_SHORT, (long) key * ENTRY + 6) != 0;
  }
}
