package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;

/** Several descriptors as one (epoll(7)), which is readable while any of them is. Thread-safe. */
public final class EpollSet implements AutoCloseable {
  private static final int EPOLL_CLOEXEC = 0x80000;
  private static final int EPOLL_CTL_ADD = 1;
  private static final int EPOLL_CTL_DEL = 2;
  private static final int EPOLLIN = 1;
  private static final int EPOLLET = 1 << 31;

  /** Octets of struct epoll_event, which is packed on x86-64 only. */
  private static final int EVENT = 16;

  /** Most events that one wait takes; it leaves further edge-triggered events to the next. */
  private static final int EVENTS = 64;

  private static final SystemCall CREATE = SystemCall.bind("epoll_create1", "i:i");
  private static final SystemCall CONTROL = SystemCall.bind("epoll_ctl", "i:iiil");

  // Does not capture errno, so that waiting allocates nothing.
  private static final MethodHandle WAIT = SystemCall.exact("epoll_pwait2", "i:ilill");

  /** A struct timespec, and behind it room for events. */
  private final MemorySegment time = Arena.ofAuto().allocate(16 + EVENTS * EVENT, 8);

  private final Descriptor descriptor;

  private EpollSet(Descriptor descriptor) {
    this.descriptor = descriptor;
  }

  /** Creates a set of descriptors, which have to stay open as long as the set. */
  public static EpollSet of(Descriptor... members) throws SystemCallException {
    EpollSet set = new EpollSet(Descriptor.of(CREATE.call(EPOLL_CLOEXEC)));
    try {
      for (Descriptor member : members) {
        set.add(member);
      }
      return set;
    } catch (SystemCallException e) {
      set.close();
      throw e;
    }
  }

  /** Adds a descriptor, which has to stay open as long as it is in the set. */
  public void add(Descriptor member) throws SystemCallException {
    add(member.number(), EPOLLIN);
  }

  /**
   * Adds a descriptor that this set's user does not read. It wakes only at a change, for example
   * when further octets come.
   */
  public void addEdgeTriggered(int member) throws SystemCallException {
    add(member, EPOLLIN | EPOLLET);
  }

  private void add(int member, int events) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      // The rest of the event is data that the kernel would return; it is not used.
      MemorySegment event = arena.allocate(EVENT);
      event.set(ValueLayout.JAVA_INT, 0, events);
      CONTROL.call(descriptor.number(), EPOLL_CTL_ADD, member, event.address());
    }
  }

  /** Removes a descriptor that is in the set. */
  public void remove(Descriptor member) {
    remove(member.number());
  }

  /** Removes a descriptor, if it is in the set. */
  public void remove(int member) {
    CONTROL.attempt(descriptor.number(), EPOLL_CTL_DEL, member, 0);
  }

  /**
   * Waits until a member is readable, at its end, or failed. By one thread at a time. Allocates
   * nothing.
   *
   * @param nanos the longest wait, 0 or more
   * @return whether there is one; false also if a signal has interrupted the wait
   */
  public boolean await(long nanos) {
    long second = TimeUnit.SECONDS.toNanos(1);
    time.set(ValueLayout.JAVA_LONG, 0, nanos / second);
    time.set(ValueLayout.JAVA_LONG, 8, nanos % second);
    try {
      int ready =
          (int)
              WAIT.invokeExact(
                  descriptor.number(), time.address() + 16, EVENTS, time.address(), 0L);
      return ready > 0;
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("epoll_pwait2", unexpected);
    }
  }

  /** The set's descriptor: readable while a member is. */
  public Descriptor descriptor() {
    return descriptor;
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
