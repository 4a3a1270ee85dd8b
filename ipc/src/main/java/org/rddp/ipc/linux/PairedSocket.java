package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * One end of a socketpair(2) of Unix-domain sockets. {@link #send}, {@link #receive} and {@link
 * #isPeerClosed} never wait and allocate nothing. Any thread may use it; {@link #close} last.
 */
public final class PairedSocket implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_SEQPACKET = 5;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SO_SNDBUF = 7;
  private static final int SO_COOKIE = 57;
  private static final int SHUT_RD = 0;
  private static final int SHUT_WR = 1;
  private static final int SHUT_RDWR = 2;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int POLLHUP = 16;

  private static final SystemCall SOCKETPAIR = SystemCall.bind("socketpair", "i:iiil");
  private static final SystemCall BIND = SystemCall.bind("bind", "i:ili");
  private static final SystemCall SETSOCKOPT = SystemCall.bind("setsockopt", "i:iiili");
  private static final SystemCall GETSOCKOPT = SystemCall.bind("getsockopt", "i:iiill");
  private static final SystemCall SHUTDOWN = SystemCall.bind("shutdown", "i:ii");

  // They do not capture errno, so that calls allocate nothing.
  private static final MethodHandle SEND = SystemCall.exact("send", "l:illi");
  private static final MethodHandle RECEIVE = SystemCall.exact("recv", "l:illi");
  private static final MethodHandle POLL = SystemCall.exact("poll", "i:lli");

  /** The argument of poll(2). */
  private static final ThreadLocal<MemorySegment> POLLED =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(8, 4));

  private static final MemorySegment OCTET = Arena.global().allocateFrom("r");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Descriptor descriptor;

  /** Wraps one end, which is closed with this. */
  public PairedSocket(Descriptor descriptor) {
    this.descriptor = descriptor;
  }

  /**
   * Creates the two ends of a pair that carries messages (SOCK_SEQPACKET). The first has an
   * abstract name, which getpeername(2) of the other one tells: the prefix, a slash, and 16 random
   * hexadecimal digits.
   *
   * @param prefix of the name
   */
  public static PairedSocket[] ofMessages(String prefix) throws SystemCallException {
    return pair(SOCK_SEQPACKET, prefix, new byte[0]);
  }

  /**
   * Creates the two ends of a pair that carries octets (SOCK_STREAM), the first with such a name.
   *
   * @param prefix of the name
   * @param rest behind its digits
   */
  public static PairedSocket[] ofOctets(String prefix, byte[] rest) throws SystemCallException {
    return pair(SOCK_STREAM, prefix, rest);
  }

  private static PairedSocket[] pair(int type, String prefix, byte[] rest)
      throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate(ValueLayout.JAVA_INT, 2);
      SOCKETPAIR.call(AF_UNIX, type | SOCK_CLOEXEC, 0, numbers.address());
      PairedSocket[] ends = {
        new PairedSocket(Descriptor.of(numbers.getAtIndex(ValueLayout.JAVA_INT, 0))),
        new PairedSocket(Descriptor.of(numbers.getAtIndex(ValueLayout.JAVA_INT, 1)))
      };
      try {
        ends[0].bind(prefix, rest);
        return ends;
      } catch (SystemCallException e) {
        ends[0].close();
        ends[1].close();
        throw e;
      }
    }
  }

  /** The end's descriptor. */
  public Descriptor descriptor() {
    return descriptor;
  }

  /**
   * Abstract names belong to all processes of a network namespace: one that can be foreseen may be
   * another's already.
   */
  private void bind(String prefix, byte[] rest) throws SystemCallException {
    byte[] begin =
        "%s/%016x".formatted(prefix, RANDOM.nextLong()).getBytes(StandardCharsets.US_ASCII);
    byte[] octets = Arrays.copyOf(begin, begin.length + rest.length);
    System.arraycopy(rest, 0, octets, begin.length, rest.length);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(3L + octets.length, 2);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(octets, 0, address, ValueLayout.JAVA_BYTE, 3, octets.length);
      BIND.call(descriptor.number(), address.address(), address.byteSize());
    }
  }

  /** Makes the buffer for what this end sends as small as the kernel allows. */
  public void limitSending() throws SystemCallException {
    limitSending(1);
  }

  /**
   * Limits the buffer for what this end sends (SO_SNDBUF).
   *
   * @param octets the kernel allows twice as many, its own for each message included
   */
  public void limitSending(int octets) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_INT, octets);
      SETSOCKOPT.call(descriptor.number(), SOL_SOCKET, SO_SNDBUF, value.address(), 4);
    }
  }

  /**
   * Makes the kernel refuse descriptors that are sent to this end (EPERM), from Linux 6.16 on. Does
   * nothing before, and returns false: then {@link #receive} closes those that have been sent,
   * which can take long.
   */
  public boolean forbidDescriptors() {
    return UnixSocket.permitDescriptors(descriptor, false);
  }

  /** The number by which the kernel knows a socket (SO_COOKIE), as long as it runs. */
  public static long cookie(Descriptor socket) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(8, 8);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, 8);
      GETSOCKOPT.call(socket.number(), SOL_SOCKET, SO_COOKIE, value.address(), length.address());
      return value.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** Ends what this end sends: the other end reads end-of-file. */
  public void closeSending() {
    SHUTDOWN.attempt(descriptor.number(), SHUT_WR);
  }

  /** Ends what the other end sends: it gets EPIPE. */
  public void closeReceiving() {
    SHUTDOWN.attempt(descriptor.number(), SHUT_RD);
  }

  /** Ends both directions, unless it is closed: the other end reads end-of-file. */
  public void shutdown() {
    if (descriptor.isOpen()) {
      SHUTDOWN.attempt(descriptor.number(), SHUT_RDWR);
    }
  }

  /**
   * Sends octets, or one message.
   *
   * @param address of the first octet
   * @return octets taken, or -1: there is no room, or the other end is closed
   */
  public long send(long address, long octets) {
    try {
      return (long)
          SEND.invokeExact(descriptor.number(), address, octets, MSG_DONTWAIT | MSG_NOSIGNAL);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("send", unexpected);
    }
  }

  /** Sends an octet, unless it is closed or there is no room: the other end becomes readable. */
  public void signal() {
    if (descriptor.isOpen()) {
      send(OCTET.address(), 1);
    }
  }

  /**
   * Receives octets, or one message.
   *
   * @param address where they go
   * @param octets the most that are received
   * @return octets received, 0 at end-of-file, or -1: there are none
   */
  public long receive(long address, long octets) {
    try {
      return (long) RECEIVE.invokeExact(descriptor.number(), address, octets, MSG_DONTWAIT);
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("recv", unexpected);
    }
  }

  /**
   * Whether the other end is closed, or both directions have ended. Unlike {@link #receive} it says
   * so before what has come is received, and where octets that the other end has not received make
   * the first call fail.
   */
  public boolean isPeerClosed() {
    MemorySegment entry = POLLED.get();
    entry.set(ValueLayout.JAVA_INT, 0, descriptor.number());
    entry.set(ValueLayout.JAVA_INT, 4, 0);
    try {
      int ready = (int) POLL.invokeExact(entry.address(), 1L, 0);
      return ready > 0 && (entry.get(ValueLayout.JAVA_SHORT, 6) & POLLHUP) != 0;
    } catch (IllegalStateException closed) {
      throw closed;
    } catch (Throwable unexpected) {
      throw new AssertionError("poll", unexpected);
    }
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
