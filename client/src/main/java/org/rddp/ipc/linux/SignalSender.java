package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The daemon's end of what wakes a program: a socket pair of which the program gets the other end.
 * Never blocks, whatever the program does with its end, and raises no SIGPIPE. Any thread may
 * signal.
 *
 * <p>An eventfd would not do: both ends share its one open file, so that a program could fill the
 * counter and make the daemon's writes block. Nor would a pipe: who reads one holds its lock while
 * the octets are copied, into memory that need not be there.
 */
public final class SignalSender implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final SystemCall SOCKETPAIR = SystemCall.bind("socketpair", "i:iiil");

  // Without errno, so that the engine's thread can signal without allocating.
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

  /** A new pair, not signalled. */
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

  /** What is passed to the program, for its {@link SignalReceiver}; close it once it is passed. */
  public Descriptor receiver() {
    return receiver;
  }

  /** Wakes who waits, or who waits next. Allocates nothing. */
  public void signal() {
    try {
      // It fails when so many signals are pending that one more tells nothing new, or when nobody
      // is there to be woken.
      long ignored =
          (long) SEND.invokeExact(own.number(), OCTET.address(), 1L, MSG_DONTWAIT | MSG_NOSIGNAL);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("send", unexpected);
    }
  }

  /** Closes both ends, as far as they are this process's. */
  @Override
  public void close() {
    own.close();
    receiver.close();
  }
}
