package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The daemon's end of a socket pair that wakes a program. Never blocks, whatever the program does
 * with its end, and raises no SIGPIPE. Any thread may signal.
 *
 * <p>An eventfd is not safe here: both ends share one open file, so a program could fill the
 * counter and block the daemon's writes. Nor is a pipe: a reader holds the pipe's lock while the
 * kernel copies into its memory, which may have to be paged in.
 */
public final class SignalSender implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final SystemCall SOCKETPAIR = SystemCall.bind("socketpair", "i:iiil");

  // Does not capture errno, so that the engine's thread signals without allocating.
  private static final MethodHandle SEND =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("send").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT));
  private static final MemorySegment OCTET = Arena.global().allocate(1);

  private final Descriptor own;
  private final Descriptor receiver;

  private SignalSender(Descriptor own, Descriptor receiver) {
    this.own = own;
    this.receiver = receiver;
  }

  /** Creates a pair that is not signalled. */
  public static SignalSender create() throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(ValueLayout.JAVA_INT, 2);
      int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
      SOCKETPAIR.call(AF_UNIX, type, 0, ends.address());
      return new SignalSender(
          Descriptor.of(ends.getAtIndex(ValueLayout.JAVA_INT, 0)),
          Descriptor.of(ends.getAtIndex(ValueLayout.JAVA_INT, 1)));
    }
  }

  /** The descriptor for the program's {@link SignalReceiver}. Close it after it has been sent. */
  public Descriptor receiver() {
    return receiver;
  }

  /** Wakes the program if it waits, or when it waits next. Allocates nothing. */
  public void signal() {
    try {
      // send(2) fails if the socket's buffer is full of pending signals, or if the program's end is
      // closed. In both cases no further signal is needed.
      long ignored =
          (long) SEND.invokeExact(own.number(), OCTET.address(), 1L, MSG_DONTWAIT | MSG_NOSIGNAL);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("send", unexpected);
    }
  }

  /** Closes this process's descriptors of both ends. */
  @Override
  public void close() {
    own.close();
    receiver.close();
  }
}
