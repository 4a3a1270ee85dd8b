package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * An eventfd: one thread waits for it with {@link PollSet}, any thread signals it. Never blocks.
 *
 * <p>Only for threads of one process: another process that holds the descriptor could make {@link
 * #signal} block. Daemon and programs wake each other with a {@link WakeSocket}.
 */
public final class EventFd implements AutoCloseable {
  private static final int EFD_CLOEXEC = 0x80000;
  private static final int EFD_NONBLOCK = 0x800;
  private static final SystemCall EVENTFD = SystemCall.bind("eventfd", "i:ii");
  private static final SystemCall READ = SystemCall.bind("read", "l:ill");

  // Does not capture errno, so that signalling allocates nothing.
  private static final MethodHandle WRITE = SystemCall.exact("write", "l:ill");
  private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1L);

  private final Descriptor descriptor;

  private EventFd(Descriptor descriptor) {
    this.descriptor = descriptor;
  }

  /** Creates an eventfd that is not signalled. */
  public static EventFd create() throws SystemCallException {
    return new EventFd(Descriptor.of(EVENTFD.call(0, EFD_CLOEXEC | EFD_NONBLOCK)));
  }

  /** The descriptor for a {@link PollSet}. */
  public Descriptor descriptor() {
    return descriptor;
  }

  /** Wakes the waiting thread, or the next one that waits. Allocates nothing. */
  public void signal() {
    try {
      // write(2) fails only if 2^64 - 2 signals are pending or the descriptor is not an eventfd.
      // Neither can be handled here.
      long ignored = (long) WRITE.invokeExact(descriptor.number(), ONE.address(), 8L);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("write", unexpected);
    }
  }

  /** Clears all pending signals. */
  public void clear() {
    try (Arena arena = Arena.ofConfined()) {
      READ.attempt(descriptor.number(), arena.allocate(8).address(), 8);
    }
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
