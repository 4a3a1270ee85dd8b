package org.rddp.daemon.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalInt;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A packet socket (packet(7)) on a Linux interface, whose frames have {@link VirtioHeader}s. It
 * takes none until it has a filter and is bound.
 */
final class PacketSocket implements AutoCloseable {
  private static final int AF_PACKET = 17;
  private static final int SOCK_RAW = 3;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SO_SNDBUF = 7;
  private static final int SO_RCVBUF = 8;
  private static final int SO_ATTACH_FILTER = 26;
  private static final int SO_SNDBUFFORCE = 32;
  private static final int SO_RCVBUFFORCE = 33;
  private static final int SOL_PACKET = 263;
  private static final int PACKET_ADD_MEMBERSHIP = 1;
  private static final int PACKET_STATISTICS = 6;
  private static final int PACKET_VNET_HDR = 15;
  private static final int PACKET_FANOUT = 18;
  private static final int PACKET_IGNORE_OUTGOING = 23;
  private static final int PACKET_FANOUT_HASH = 0;
  private static final int PACKET_FANOUT_FLAG_UNIQUEID = 0x2000;
  private static final int PACKET_FANOUT_FLAG_IGNORE_OUTGOING = 0x4000;
  private static final int PACKET_MR_ALLMULTI = 2;
  private static final int ETH_P_ALL = 3;
  private static final int SOCKADDR_LL = 20;
  private static final int PACKET_MREQ = 16;
  private static final int SOCK_FPROG = 16;
  private static final int INSTRUCTION = 8;
  private static final int SIOCGIFFLAGS = 0x8913;
  private static final int SIOCGIFHWADDR = 0x8927;
  private static final int SIOCGIFINDEX = 0x8933;
  private static final int SIOCETHTOOL = 0x8946;
  private static final int ETHTOOL_GCHANNELS = 0x3c;
  private static final int ETHTOOL_CHANNELS = 36;
  private static final int IFF_UP_RUNNING = 0x1 | 0x40;
  private static final int IFREQ = 40;
  private static final int IFREQ_VALUE = 16;
  private static final int ARPHRD_ETHER = 1;

  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall BIND = SystemCall.bind("bind", "i:ili");
  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");
  private static final SystemCall SETSOCKOPT = SystemCall.bind("setsockopt", "i:iiili");
  private static final SystemCall GETSOCKOPT = SystemCall.bind("getsockopt", "i:iiill");

  private final String name;
  private final Descriptor descriptor;

  /**
   * Opens a socket in the calling thread's network namespace.
   *
   * @param name of the interface
   * @throws SystemCallException without CAP_NET_RAW, or if the kernel has no virtio headers
   */
  PacketSocket(String name) throws SystemCallException {
    this.name = name;
    // Protocol 0 receives nothing until the socket is bound.
    descriptor = Descriptor.of(SOCKET.call(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    try {
      set(SOL_PACKET, PACKET_VNET_HDR, 1);
      // Since Linux 4.20; before it, only the filter drops them.
      attempt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
    } catch (SystemCallException e) {
      close();
      throw e;
    }
  }

  /** The socket, readable when frames have come. */
  Descriptor descriptor() {
    return descriptor;
  }

  /** The descriptor's number, readable when frames have come. */
  int number() {
    return descriptor.number();
  }

  /** The interface's index; empty if there is no such interface now. */
  OptionalInt index() {
    try (Arena arena = Arena.ofConfined()) {
      return OptionalInt.of(request(arena, SIOCGIFINDEX).get(ValueLayout.JAVA_INT, IFREQ_VALUE));
    } catch (SystemCallException e) {
      return OptionalInt.empty();
    }
  }

  /**
   * The interface's MAC address in the low 48 bits.
   *
   * @throws SystemCallException if there is no such interface, or it is none of Ethernet
   */
  long macAddress() throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment answer = request(arena, SIOCGIFHWADDR);
      if (answer.get(ValueLayout.JAVA_SHORT, IFREQ_VALUE) != ARPHRD_ETHER) {
        throw new SystemCallException(name + " is no Ethernet interface", Errno.EPROTOTYPE);
      }
      long address = 0;
      for (int i = 0; i < 6; i++) {
        int octet = answer.get(ValueLayout.JAVA_BYTE, IFREQ_VALUE + Short.BYTES + i) & 0xff;
        address = address << 8 | octet;
      }
      return address;
    }
  }

  /** Whether the interface is there, up, and has a carrier. */
  boolean up() {
    try (Arena arena = Arena.ofConfined()) {
      int flags = request(arena, SIOCGIFFLAGS).get(ValueLayout.JAVA_SHORT, IFREQ_VALUE);
      return (flags & IFF_UP_RUNNING) == IFF_UP_RUNNING;
    } catch (SystemCallException e) {
      return false;
    }
  }

  /** How many queues the interface receives by; 1 if its driver does not say. */
  int receiveQueues() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment channels = arena.allocate(ETHTOOL_CHANNELS, Integer.BYTES);
      channels.setAtIndex(ValueLayout.JAVA_INT, 0, ETHTOOL_GCHANNELS);
      MemorySegment request = arena.allocate(IFREQ, Long.BYTES);
      request.setString(0, name);
      request.set(ValueLayout.JAVA_LONG, IFREQ_VALUE, channels.address());
      IOCTL.call(number(), SIOCETHTOOL, request.address());
      // rx_count and combined_count
      return channels.getAtIndex(ValueLayout.JAVA_INT, 5)
          + channels.getAtIndex(ValueLayout.JAVA_INT, 8);
    } catch (SystemCallException e) {
      return 1;
    }
  }

  private MemorySegment request(Arena arena, int code) throws SystemCallException {
    MemorySegment request = arena.allocate(IFREQ, Long.BYTES);
    request.setString(0, name);
    IOCTL.call(number(), code, request.address());
    return request;
  }

  /** Takes only the frames that a program of classic BPF takes: {@link AddressFilter}. */
  void attach(byte[] program) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment header = arena.allocate(SOCK_FPROG, Long.BYTES);
      header.set(ValueLayout.JAVA_SHORT, 0, (short) (program.length / INSTRUCTION));
      MemorySegment copy = arena.allocate(program.length, Long.BYTES);
      MemorySegment.copy(program, 0, copy, ValueLayout.JAVA_BYTE, 0, program.length);
      header.set(ValueLayout.JAVA_LONG, Long.BYTES, copy.address());
      SETSOCKOPT.call(number(), SOL_SOCKET, SO_ATTACH_FILTER, header.address(), header.byteSize());
    }
  }

  /**
   * Asks for buffers of so many octets each way, which CAP_NET_ADMIN grants beyond the machine's
   * limit.
   *
   * @return the octets for received frames that the kernel grants
   */
  int buffers(int octets) throws SystemCallException {
    buffer(SO_SNDBUFFORCE, SO_SNDBUF, octets);
    buffer(SO_RCVBUFFORCE, SO_RCVBUF, octets);
    // The kernel counts its own structures, too, and so doubles what it is asked for.
    return get(SOL_SOCKET, SO_RCVBUF) / 2;
  }

  private void buffer(int force, int option, int octets) throws SystemCallException {
    if (attempt(SOL_SOCKET, force, octets) < 0) {
      set(SOL_SOCKET, option, octets);
    }
  }

  /**
   * Binds to the interface of this index, also when it had another one: frames come from now on.
   */
  void bind(int index) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(SOCKADDR_LL, Integer.BYTES);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_PACKET);
      address.set(ValueLayout.JAVA_BYTE, Short.BYTES + 1, (byte) ETH_P_ALL);
      address.set(ValueLayout.JAVA_INT, Integer.BYTES, index);
      BIND.call(number(), address.address(), SOCKADDR_LL);
    }
  }

  /** Makes the interface receive all multicast, until the socket is closed. */
  void receiveMulticast(int index) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(PACKET_MREQ, Integer.BYTES);
      request.set(ValueLayout.JAVA_INT, 0, index);
      request.set(ValueLayout.JAVA_SHORT, Integer.BYTES, (short) PACKET_MR_ALLMULTI);
      SETSOCKOPT.call(number(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, request.address(), PACKET_MREQ);
    }
  }

  /**
   * Makes a group of bound sockets, over which the kernel spreads flows.
   *
   * @return the group, for {@link #join}
   */
  int makeGroup() throws SystemCallException {
    int flags =
        PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_UNIQUEID | PACKET_FANOUT_FLAG_IGNORE_OUTGOING;
    set(SOL_PACKET, PACKET_FANOUT, flags << 16);
    return get(SOL_PACKET, PACKET_FANOUT) & 0xffff;
  }

  /** Joins the group of another socket on the same interface. */
  void join(int group) throws SystemCallException {
    int flags = PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_IGNORE_OUTGOING;
    set(SOL_PACKET, PACKET_FANOUT, flags << 16 | group);
  }

  /** Frames that found the buffer full since the last call. */
  long dropped() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment answer = arena.allocate(2L * Integer.BYTES, Integer.BYTES);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) answer.byteSize());
      long result =
          GETSOCKOPT.attempt(
              number(), SOL_PACKET, PACKET_STATISTICS, answer.address(), length.address());
      return result < 0 ? 0 : Integer.toUnsignedLong(answer.getAtIndex(ValueLayout.JAVA_INT, 1));
    }
  }

  private void set(int level, int option, int value) throws SystemCallException {
    long result = attempt(level, option, value);
    if (result < 0) {
      throw new SystemCallException("setsockopt", (int) -result);
    }
  }

  private long attempt(int level, int option, int value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocateFrom(ValueLayout.JAVA_INT, value);
      return SETSOCKOPT.attempt(number(), level, option, word.address(), Integer.BYTES);
    }
  }

  private int get(int level, int option) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(ValueLayout.JAVA_INT);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, Integer.BYTES);
      GETSOCKOPT.call(number(), level, option, word.address(), length.address());
      return word.get(ValueLayout.JAVA_INT, 0);
    }
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
