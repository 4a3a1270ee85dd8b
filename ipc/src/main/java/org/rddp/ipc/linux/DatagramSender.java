package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Sends datagrams to a Unix-domain socket of type SOCK_DGRAM. Any thread may send. */
public final class DatagramSender implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int MSG_NOSIGNAL = 0x4000;

  /** Size of sun_path in struct sockaddr_un. */
  private static final int MAX_PATH = 108;

  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall SENDTO = SystemCall.bind("sendto", "l:illili");

  private final byte[] name;
  private final Descriptor socket;

  /**
   * Opens a socket.
   *
   * @param address path of the receiver's socket, or {@code @} and a name in Linux's abstract
   *     namespace; at most 107 octets
   * @throws IllegalArgumentException if it is neither
   * @throws SystemCallException if no descriptors are left
   */
  public DatagramSender(String address) throws SystemCallException {
    name = address.getBytes(StandardCharsets.UTF_8);
    if (name.length < 2 || name.length >= MAX_PATH || (name[0] != '/' && name[0] != '@')) {
      throw new IllegalArgumentException("not a path and not an abstract address: " + address);
    }
    if (name[0] == '@') {
      name[0] = 0;
    }
    socket = Descriptor.of(SOCKET.call(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  }

  /**
   * Sends a datagram, in UTF-8. Waits while the receiver's queue is full.
   *
   * @throws SystemCallException if nobody receives there
   */
  public void send(String text) throws SystemCallException {
    byte[] octets = text.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_BYTE, octets);
      // The kernel takes the length as that of the name: a zero at the end would be part of an
      // abstract one.
      MemorySegment to = arena.allocate(Short.BYTES + (long) name.length, Short.BYTES);
      to.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(name, 0, to, ValueLayout.JAVA_BYTE, Short.BYTES, name.length);
      SENDTO.call(
          socket.number(),
          data.address(),
          octets.length,
          MSG_NOSIGNAL,
          to.address(),
          to.byteSize());
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
