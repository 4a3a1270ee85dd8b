package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** System calls for Unix-domain sockets of type SOCK_SEQPACKET. */
public final class UnixSocket {
  private static final int AF_UNIX = 1;
  private static final int SOCK_SEQPACKET = 5;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SO_PEERCRED = 17;
  private static final int SO_PEERPIDFD = 77;
  private static final int SO_PASSRIGHTS = 83;

  /** Size of sun_path in struct sockaddr_un without its terminating zero. */
  private static final int MAX_PATH = 107;

  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall BIND = SystemCall.bind("bind", "i:ili");
  private static final SystemCall LISTEN = SystemCall.bind("listen", "i:ii");
  private static final SystemCall ACCEPT4 = SystemCall.bind("accept4", "i:illi");
  private static final SystemCall CONNECT = SystemCall.bind("connect", "i:ili");
  private static final int SIOCOUTQ = 0x5411;
  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");
  private static final int SHUT_RD = 0;
  private static final int SHUT_RDWR = 2;
  private static final SystemCall SHUTDOWN = SystemCall.bind("shutdown", "i:ii");
  private static final SystemCall SETSOCKOPT = SystemCall.bind("setsockopt", "i:iiili");
  private static final SystemCall GETSOCKOPT = SystemCall.bind("getsockopt", "i:iiill");

  private UnixSocket() {}

  public static Descriptor open() throws SystemCallException {
    return Descriptor.of(SOCKET.call(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  }

  public static void bind(Descriptor socket, Path path) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = name(arena, path);
      BIND.call(socket.number(), name.address(), name.byteSize());
    }
  }

  public static void listen(Descriptor socket, int backlog) throws SystemCallException {
    LISTEN.call(socket.number(), backlog);
  }

  public static void connect(Descriptor socket, Path path) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = name(arena, path);
      CONNECT.call(socket.number(), name.address(), name.byteSize());
    }
  }

  /** Accepts the next connection; null if none is waiting. */
  public static Descriptor accept(Descriptor socket) throws SystemCallException {
    long number = ACCEPT4.attempt(socket.number(), 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (number == -Errno.EAGAIN || number == -Errno.EINTR || number == -Errno.ECONNABORTED) {
      return null;
    }
    if (number < 0) {
      throw new SystemCallException("accept4", (int) -number);
    }
    return Descriptor.of(number);
  }

  /** Ends the connection; the other end receives what has been sent, and then end-of-file. */
  public static void shutdown(Descriptor socket) throws SystemCallException {
    SHUTDOWN.call(socket.number(), SHUT_RDWR);
  }

  /**
   * Makes the other end's sends fail with EPIPE from now on; its earlier messages are still
   * received.
   */
  public static void shutdownReceiving(Descriptor socket) throws SystemCallException {
    SHUTDOWN.call(socket.number(), SHUT_RD);
  }

  /**
   * Whether a socket, and those that it accepts, may receive descriptors: otherwise the sender gets
   * EPERM. Does nothing, and returns false, before Linux 6.16, which has no such option
   * (SO_PASSRIGHTS).
   */
  public static boolean permitDescriptors(Descriptor socket, boolean permitted) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_INT, permitted ? 1 : 0);
      return SETSOCKOPT.attempt(socket.number(), SOL_SOCKET, SO_PASSRIGHTS, value.address(), 4)
          == 0;
    }
  }

  /** Whether the other end has not received all that was sent, and has not closed its socket. */
  public static boolean hasUnreceived(Descriptor socket) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment octets = arena.allocate(4, 4);
      IOCTL.call(socket.number(), SIOCOUTQ, octets.address());
      return octets.get(ValueLayout.JAVA_INT, 0) > 0;
    }
  }

  public static PeerCredentials peerCredentials(Descriptor socket) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment credentials = arena.allocate(12, 4);
      option(socket, SO_PEERCRED, credentials, arena);
      return new PeerCredentials(
          credentials.get(ValueLayout.JAVA_INT, 0),
          credentials.get(ValueLayout.JAVA_INT, 4),
          credentials.get(ValueLayout.JAVA_INT, 8));
    }
  }

  /**
   * A pidfd of the peer's process, which becomes readable when the process ends. Null if the kernel
   * does not support it (before 6.5) or the process has already ended.
   *
   * @throws SystemCallException if no descriptors are left
   */
  public static Descriptor peerProcess(Descriptor socket) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(4, 4);
      option(socket, SO_PEERPIDFD, number, arena);
      return Descriptor.of(number.get(ValueLayout.JAVA_INT, 0));
    } catch (SystemCallException e) {
      if (e.errno() == Errno.EMFILE || e.errno() == Errno.ENFILE) {
        throw e;
      }
      return null;
    }
  }

  private static void option(Descriptor socket, int option, MemorySegment value, Arena arena)
      throws SystemCallException {
    MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) value.byteSize());
    GETSOCKOPT.call(socket.number(), SOL_SOCKET, option, value.address(), length.address());
  }

  private static MemorySegment name(Arena arena, Path path) {
    byte[] bytes = path.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > MAX_PATH) {
      throw new IllegalArgumentException(
          "the path of a socket must have 1 to " + MAX_PATH + " octets: " + path);
    }
    MemorySegment name = arena.allocate(2 + MAX_PATH + 1L, 2);
    name.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(bytes, 0, name, ValueLayout.JAVA_BYTE, 2, bytes.length);
    return name;
  }
}
