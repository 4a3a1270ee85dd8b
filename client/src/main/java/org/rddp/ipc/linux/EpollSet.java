package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Several descriptors as one (epoll(7)), which is readable while any of them is. Thread-safe. */
public final class EpollSet implements AutoCloseable {
  private static final int EPOLL_CLOEXEC = 0x80000;
  private static final int EPOLL_CTL_ADD = 1;
  private static final int EPOLL_CTL_DEL = 2;
  private static final int EPOLLIN = 1;

  /** Octets of struct epoll_event, which is packed on x86-64 only. */
  private static final int EVENT = 16;

  private static final SystemCall CREATE = SystemCall.bind("epoll_create1", "i:i");
  private static final SystemCall CONTROL = SystemCall.bind("epoll_ctl", "i:iiil");

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
    try (Arena arena = Arena.ofConfined()) {
      // The kernel gives the rest of the event back with the member, which nobody asks for.
      MemorySegment event = arena.allocate(EVENT);
      event.set(ValueLayout.JAVA_INT, 0, EPOLLIN);
      CONTROL.call(descriptor.number(), EPOLL_CTL_ADD, member.number(), event.address());
    }
  }

  /** Removes a descriptor that is in the set. */
  public void remove(Descriptor member) {
    CONTROL.attempt(descriptor.number(), EPOLL_CTL_DEL, member.number(), 0);
  }

  /** Readable while a member is. */
  public Descriptor descriptor() {
    return descriptor;
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
