package org.rddp.mirror;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A socket of NETLINK_XFRM (netlink(7)), which gets the kernel's events of security associations.
 * Needs CAP_NET_ADMIN. For one thread. What was received is overwritten, since it holds keys.
 */
final class NetlinkSocket implements AutoCloseable {
  /** The kernel had more messages than the socket could keep, and has dropped some. */
  static final class LostException extends IOException {
    private static final long serialVersionUID = 1L;

    LostException() {
      super("the kernel has dropped events");
    }
  }

  private static final int AF_NETLINK = 16;
  private static final int SOCK_RAW = 3;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int NETLINK_XFRM = 6;
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVBUFFORCE = 33;
  private static final int ENOBUFS = 105;

  /** Groups, as bits: EXPIRE and SA. */
  private static final int GROUPS = 1 << 1 | 1 << 2;

  private static final int ADDRESS = 12;
  private static final int ROOM = 1 << 16;
  private static final int KEPT = 1 << 20;

  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall BIND = SystemCall.bind("bind", "i:ili");
  private static final SystemCall SETSOCKOPT = SystemCall.bind("setsockopt", "i:iiili");
  private static final SystemCall SEND = SystemCall.bind("send", "l:illi");
  private static final SystemCall RECVFROM = SystemCall.bind("recvfrom", "l:illill");

  private final Descriptor socket;
  private final PollSet poll = new PollSet();
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment room = arena.allocate(ROOM, Long.BYTES);
  private final MemorySegment sender = arena.allocate(ADDRESS + Integer.BYTES, Integer.BYTES);

  /** Opens a socket in the network namespace of the calling thread. */
  NetlinkSocket() throws SystemCallException {
    socket =
        Descriptor.of(
            SOCKET.call(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_XFRM));
    MemorySegment octets = arena.allocateFrom(ValueLayout.JAVA_INT, KEPT);
    SETSOCKOPT.call(socket.number(), SOL_SOCKET, SO_RCVBUFFORCE, octets.address(), Integer.BYTES);
    MemorySegment address = arena.allocate(ADDRESS, Integer.BYTES);
    address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_NETLINK);
    address.set(ValueLayout.JAVA_INT, 8, GROUPS);
    BIND.call(socket.number(), address.address(), ADDRESS);
    poll.add(socket);
  }

  /** Sends a request to the kernel. */
  void send(byte[] message) throws SystemCallException {
    MemorySegment.copy(message, 0, room, ValueLayout.JAVA_BYTE, 0, message.length);
    SEND.call(socket.number(), room.address(), message.length, 0);
  }

  /** Waits for a message of the kernel; at most for so long. */
  void await(long nanos) throws SystemCallException {
    poll.await(nanos);
  }

  /** What reads messages. */
  interface Reader {
    void read(ByteBuffer messages) throws IOException;
  }

  /**
   * Passes the messages of one packet of the kernel to a reader, and overwrites them.
   *
   * @return false if there are none
   * @throws LostException if the kernel has dropped some
   */
  boolean receive(Reader reader) throws IOException {
    sender.set(ValueLayout.JAVA_INT, ADDRESS, ADDRESS);
    long octets =
        RECVFROM.attempt(
            socket.number(), room.address(), ROOM, 0, sender.address(), sender.address() + ADDRESS);
    if (octets == -Errno.EAGAIN || octets == -Errno.EINTR) {
      return false;
    }
    if (octets == -ENOBUFS) {
      throw new LostException();
    }
    if (octets < 0) {
      throw new SystemCallException("recvfrom", (int) -octets);
    }
    try {
      // Other processes may send to the socket, too; the kernel's number is 0.
      if (sender.get(ValueLayout.JAVA_INT, Integer.BYTES) == 0) {
        reader.read(room.asSlice(0, octets).asByteBuffer().order(ByteOrder.nativeOrder()));
      }
    } finally {
      room.asSlice(0, octets).fill((byte) 0);
    }
    return true;
  }

  @Override
  public void close() {
    socket.close();
    arena.close();
  }
}
