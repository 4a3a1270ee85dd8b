package org.rddp.daemon;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A descriptor whose last close(2) waits: of a TCP connection whose peer reads nothing, with
 * SO_LINGER. The wait ends when this is closed.
 */
final class HeldDescriptor implements AutoCloseable {
  /** Longer than any test runs. */
  private static final int LINGER_SECONDS = 600;

  private static final int AF_UNIX = 1;
  private static final int AF_INET = 2;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOL_SOCKET = 1;
  private static final int SO_LINGER = 13;
  private static final int SO_PASSRIGHTS = 83;
  private static final int SCM_RIGHTS = 1;
  private static final int MSG_DONTWAIT_NOSIGNAL = 0x4040;
  private static final int OCTETS = 1 << 16;
  private static final int EINPROGRESS = 115;
  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall CONNECT = SystemCall.bind("connect", "i:ili");
  private static final SystemCall SETSOCKOPT = SystemCall.bind("setsockopt", "i:iiili");
  private static final SystemCall SEND = SystemCall.bind("send", "l:illi");
  private static final SystemCall SENDMSG = SystemCall.bind("sendmsg", "l:ili");

  private final Descriptor sender;
  private final SocketChannel receiver;

  HeldDescriptor() throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open();
        Arena arena = Arena.ofConfined()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
      sender = Descriptor.of(SOCKET.call(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
      byte[] address = {AF_INET, 0, (byte) (port >> 8), (byte) port, 127, 0, 0, 1};
      MemorySegment octets = arena.allocate(OCTETS, 8);
      MemorySegment.copy(address, 0, octets, ValueLayout.JAVA_BYTE, 0, address.length);
      long connected = CONNECT.attempt(sender.number(), octets.address(), 16);
      if (connected != 0 && connected != -EINPROGRESS) {
        throw new SystemCallException("connect", (int) -connected);
      }
      receiver = server.accept();
      MemorySegment linger = arena.allocateFrom(ValueLayout.JAVA_INT, 1, LINGER_SECONDS);
      SETSOCKOPT.call(sender.number(), SOL_SOCKET, SO_LINGER, linger.address(), 8);
      long sent = 1;
      while (sent > 0) {
        sent = SEND.attempt(sender.number(), octets.address(), OCTETS, MSG_DONTWAIT_NOSIGNAL);
      }
    }
  }

  /** The descriptor, which the test closes when it has passed it on. */
  Descriptor descriptor() {
    return sender;
  }

  /** Sends an octet with the descriptor, and closes the test's own one. */
  void passTo(Descriptor socket) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment parts = arena.allocate(128, 8);
      long header = parts.address();
      parts.set(ValueLayout.JAVA_LONG, 16, header + 56);
      parts.set(ValueLayout.JAVA_LONG, 24, 1);
      parts.set(ValueLayout.JAVA_LONG, 32, header + 80);
      parts.set(ValueLayout.JAVA_LONG, 40, 24);
      parts.set(ValueLayout.JAVA_LONG, 56, header + 120);
      parts.set(ValueLayout.JAVA_LONG, 64, 1);
      parts.set(ValueLayout.JAVA_LONG, 80, 20);
      parts.set(ValueLayout.JAVA_INT, 88, SOL_SOCKET);
      parts.set(ValueLayout.JAVA_INT, 92, SCM_RIGHTS);
      parts.set(ValueLayout.JAVA_INT, 96, sender.number());
      SENDMSG.call(socket.number(), header, MSG_DONTWAIT_NOSIGNAL);
    }
    sender.close();
  }

  /** Whether the kernel can forbid a socket to receive descriptors (since 6.16). */
  static boolean canRefuse() {
    try (Arena arena = Arena.ofConfined()) {
      long socket = SOCKET.call(AF_UNIX, SOCK_STREAM, 0);
      MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
      long set = SETSOCKOPT.attempt(socket, SOL_SOCKET, SO_PASSRIGHTS, one.address(), 4);
      Descriptor.of(socket).close();
      return set == 0;
    } catch (SystemCallException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether the kernel lets a program send a descriptor on a socket. */
  static boolean mayPass(Descriptor socket) throws IOException {
    try (HeldDescriptor held = new HeldDescriptor()) {
      held.passTo(socket);
      return true;
    } catch (SystemCallException e) {
      if (e.errno() != Errno.EPERM) {
        throw e;
      }
      return false;
    }
  }

  /** The names of the daemon's threads that are in one of these methods. */
  static List<String> in(Set<String> methods) {
    return threadsIn(methods).stream().map(Thread::getName).toList();
  }

  /** The daemon's threads that are in one of these methods. */
  static List<Thread> threadsIn(Set<String> methods) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(each -> each.getKey().getName().startsWith("rddp-"))
        .filter(each ->
            Arrays.stream(each.getValue())
                .anyMatch(
                    call -> methods.contains(call.getClassName() + "." + call.getMethodName())))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Ends the wait. */
  void release() throws IOException {
    // With octets that nobody has read, the connection is reset, and no close(2) waits for it.
    receiver.close();
    sender.close();
  }

  @Override
  public void close() throws IOException {
    release();
  }
}
