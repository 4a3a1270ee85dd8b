package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * One end of a socket pair by which the daemon and a program wake each other. Never blocks,
 * whatever the other process does with its end, raises no SIGPIPE, and allocates nothing. Any
 * thread may signal.
 *
 * <p>An eventfd is not safe here: both ends share one open file, so a program could fill the
 * counter and block the daemon's writes. Nor is a pipe: a reader holds the pipe's lock while the
 * kernel copies into its memory, which may have to be paged in.
 */
public final class WakeSocket implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;

  /** Most signals taken at once; the kernel keeps some hundreds. */
  private static final int ROOM = 4096;

  private static final SystemCall SOCKETPAIR = SystemCall.bind("socketpair", "i:iiil");

  // They do not capture errno, so that calls allocate nothing.
  private static final MethodHandle SEND = SystemCall.exact("send", "l:illi");
  private static final MethodHandle RECEIVE = SystemCall.exact("recv", "l:illi");
  private static final MemorySegment OCTET = Arena.global().allocate(1);

  /** Signals have no contents, so all threads may read them into the same memory. */
  private static final MemorySegment TAKEN = Arena.global().allocate(ROOM);

  private final Descriptor descriptor;

  /** Wraps one end, which is closed with this. */
  public WakeSocket(Descriptor descriptor) {
    this.descriptor = descriptor;
  }

  /** Creates the two ends of a pair, neither of them signalled. */
  public static WakeSocket[] pair() throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(ValueLayout.JAVA_INT, 2);
      int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
      SOCKETPAIR.call(AF_UNIX, type, 0, ends.address());
      return new WakeSocket[] {
        new WakeSocket(Descriptor.of(ends.getAtIndex(ValueLayout.JAVA_INT, 0))),
        new WakeSocket(Descriptor.of(ends.getAtIndex(ValueLayout.JAVA_INT, 1)))
      };
    }
  }

  /** Readable while a signal is pending, and always after the other end is closed. */
  public Descriptor descriptor() {
    return descriptor;
  }

  /** Wakes the other end's thread if it waits, or when it waits next. */
  public void signal() {
    try {
      // send(2) fails if the socket's buffer is full of pending signals, or if the other end is
      // closed. In both cases no further signal is needed.
      long ignored =
          (long)
              SEND.invokeExact(
                  descriptor.number(), OCTET.address(), 1L, MSG_DONTWAIT | MSG_NOSIGNAL);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("send", unexpected);
    }
  }

  /**
   * Clears the pending signals. More than the kernel keeps at a time may be left, if the other end
   * goes on signalling.
   */
  public void clear() {
    try {
      long ignored =
          (long)
              RECEIVE.invokeExact(descriptor.number(), TAKEN.address(), (long) ROOM, MSG_DONTWAIT);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("recv", unexpected);
    }
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
