package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Descriptors whose changes are asked for without waiting (epoll(7), edge-triggered). One thread
 * polls and adds. {@link #poll} allocates nothing.
 */
public final class EventSet implements AutoCloseable {
  /** There is something to receive. */
  public static final int IN = 1;

  /** There is room for sending. */
  public static final int OUT = 4;

  /** An error, always reported. */
  public static final int ERROR = 8;

  /** Both directions have ended, always reported. */
  public static final int HUP = 16;

  /** The other end sends no more. */
  public static final int PEER_ENDED = 0x2000;

  private static final int EDGE = 1 << 31;
  private static final int EPOLL_CLOEXEC = 0x80000;
  private static final int ADD = 1;
  private static final int DELETE = 2;
  private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");
  private static final int EVENT = PACKED ? 12 : 16;
  private static final int DATA = PACKED ? 4 : 8;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** Most events of a poll; others come with the next. */
  public static final int MOST = 64;

  private static final SystemCall CREATE = SystemCall.bind("epoll_create1", "i:i");
  private static final SystemCall CONTROL = SystemCall.bind("epoll_ctl", "i:iiil");
  private static final MethodHandle WAIT = SystemCall.exact("epoll_wait", "i:ilii");

  private static final MethodHandle POLL = SystemCall.exact("poll", "i:lli");

  private final MemorySegment events = Arena.ofAuto().allocate(MOST * (long) EVENT, 8);

  /** A struct pollfd of the set itself. */
  private final MemorySegment itself = Arena.ofAuto().allocate(8, 4);

  private final Descriptor descriptor;

  private EventSet(Descriptor descriptor) {
    this.descriptor = descriptor;
    itself.set(ValueLayout.JAVA_INT, 0, descriptor.number());
    itself.set(ValueLayout.JAVA_SHORT, 4, (short) IN);
  }

  /** Creates an empty set. */
  public static EventSet create() throws SystemCallException {
    return new EventSet(Descriptor.of(CREATE.call(EPOLL_CLOEXEC)));
  }

  /**
   * Adds a descriptor, which is removed when it is closed.
   *
   * @param wanted of {@link #IN}, {@link #OUT} and {@link #PEER_ENDED}
   * @param token told with its events
   */
  public void add(Descriptor member, int wanted, long token) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment event = arena.allocate(EVENT, 8);
      event.set(ValueLayout.JAVA_INT, 0, wanted | EDGE);
      event.set(LONG, DATA, token);
      CONTROL.call(descriptor.number(), ADD, member.number(), event.address());
    }
  }

  /** Removes a descriptor that is in the set. */
  public void remove(Descriptor member) {
    CONTROL.attempt(descriptor.number(), DELETE, member.number(), 0);
  }

  /** Asks for events, without waiting. Returns how many there are, at most {@link #MOST}. */
  public int poll() {
    try {
      int ready = (int) WAIT.invokeExact(descriptor.number(), events.address(), MOST, 0);
      return Math.max(ready, 0);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("epoll_wait", unexpected);
    }
  }

  /** Whether there are events, which stay. Allocates nothing. Any thread. */
  public boolean hasEvents() {
    try {
      return descriptor.isOpen() && (int) POLL.invokeExact(itself.address(), 1L, 0) > 0;
    } catch (Throwable unexpected) {
      throw new AssertionError("poll", unexpected);
    }
  }

  /** The token of an event of the last poll. */
  public long token(int event) {
    return events.get(LONG, (long) event * EVENT + DATA);
  }

  /** What an event of the last poll says: bits of {@link #IN} and so on. */
  public int what(int event) {
    return events.get(ValueLayout.JAVA_INT_UNALIGNED, (long) event * EVENT);
  }

  /** Readable while there are events. */
  public Descriptor descriptor() {
    return descriptor;
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
