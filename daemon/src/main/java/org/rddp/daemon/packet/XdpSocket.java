package org.rddp.daemon.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PrivateMemory;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.wire.Memory;

/**
 * An AF_XDP socket for one queue of a Linux interface, with the memory of its frames: half of them
 * receive, half are sent from.
 */
final class XdpSocket implements AutoCloseable {
  /** Octets of a frame's memory, of which the kernel takes some in front. */
  static final int FRAME = 4096;

  /** Where the length is in {@code struct xdp_desc}: behind the address, before the options. */
  static final int LENGTH = Long.BYTES;

  private static final int DESCRIPTION = 16;

  private static final int AF_XDP = 44;
  private static final int SOCK_RAW = 3;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_XDP = 283;
  private static final int XDP_MMAP_OFFSETS = 1;
  private static final int XDP_RX_RING = 2;
  private static final int XDP_TX_RING = 3;
  private static final int XDP_UMEM_REG = 4;
  private static final int XDP_UMEM_FILL_RING = 5;
  private static final int XDP_UMEM_COMPLETION_RING = 6;
  private static final int XDP_STATISTICS = 7;
  private static final int XDP_OPTIONS = 8;
  private static final int XDP_OPTIONS_ZEROCOPY = 1;
  private static final short XDP_USE_NEED_WAKEUP = 1 << 3;
  private static final long RX_AT = 0;
  private static final long TX_AT = 0x80000000L;
  private static final long FILL_AT = 0x100000000L;
  private static final long COMPLETION_AT = 0x180000000L;

  /** Octets of {@code struct xdp_ring_offset}. */
  private static final int OFFSETS = 32;

  private static final int UMEM_REG = 24;
  private static final int SOCKADDR_XDP = 16;
  private static final int STATISTICS = 48;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED_POPULATE = 0x8001;

  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall BIND = SystemCall.bind("bind", "i:ili");
  private static final SystemCall SETSOCKOPT = SystemCall.bind("setsockopt", "i:iiili");
  private static final SystemCall GETSOCKOPT = SystemCall.bind("getsockopt", "i:iiill");
  private static final SystemCall MMAP = SystemCall.bind("mmap", "l:lliiil");
  private static final SystemCall MUNMAP = SystemCall.bind("munmap", "i:ll");
  private static final MethodHandle SEND = SystemCall.capturing("sendto", "l:illili");
  private static final MethodHandle RECEIVE = SystemCall.exact("recvfrom", "l:illill");

  private record Mapping(long address, long length) {}

  private final Descriptor descriptor;
  private final PrivateMemory memory;
  private final List<Mapping> mappings = new ArrayList<>();
  private final MemorySegment state = SystemCall.newState();
  private final int entries;
  private final boolean copies;

  /** Descriptions of received frames. */
  final XdpRing received;

  /** Descriptions of frames to be sent. */
  final XdpRing sent;

  /** Addresses of frames to receive into. */
  final XdpRing fill;

  /** Addresses of frames that have been sent. */
  final XdpRing completed;

  /**
   * Opens a socket; it receives once a program redirects frames to it.
   *
   * @param index of the interface
   * @param queue of the interface, from 0
   * @param entries of each ring, a power of two
   * @throws SystemCallException without CAP_NET_RAW, if there is no such queue, or another socket
   *     has it
   */
  XdpSocket(int index, int queue, int entries) throws SystemCallException {
    this.entries = entries;
    descriptor = Descriptor.of(SOCKET.call(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0));
    PrivateMemory frames = null;
    try (Arena arena = Arena.ofConfined()) {
      frames = PrivateMemory.map(2L * entries * FRAME);
      MemorySegment area = arena.allocate(UMEM_REG, Long.BYTES);
      area.setAtIndex(ValueLayout.JAVA_LONG, 0, frames.segment().address());
      area.setAtIndex(ValueLayout.JAVA_LONG, 1, frames.segment().byteSize());
      area.setAtIndex(ValueLayout.JAVA_INT, 4, FRAME);
      set(XDP_UMEM_REG, area);
      MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, entries);
      set(XDP_UMEM_FILL_RING, size);
      set(XDP_UMEM_COMPLETION_RING, size);
      set(XDP_RX_RING, size);
      set(XDP_TX_RING, size);
      MemorySegment offsets = arena.allocate(4L * OFFSETS, Long.BYTES);
      get(XDP_MMAP_OFFSETS, offsets);
      received = ring(offsets, 0, RX_AT, DESCRIPTION);
      sent = ring(offsets, 1, TX_AT, DESCRIPTION);
      fill = ring(offsets, 2, FILL_AT, Long.BYTES);
      completed = ring(offsets, 3, COMPLETION_AT, Long.BYTES);
      for (int i = 0; i < entries; i++) {
        Memory.putLongNative(fill.take(), (long) i * FRAME);
      }
      fill.filled();
      bind(arena, index, queue);
      MemorySegment options = arena.allocate(Integer.BYTES, Integer.BYTES);
      get(XDP_OPTIONS, options);
      copies = (options.get(ValueLayout.JAVA_INT, 0) & XDP_OPTIONS_ZEROCOPY) == 0;
      memory = frames;
    } catch (SystemCallException e) {
      close(frames);
      throw e;
    }
  }

  /** The driver decides whether frames are copied: the kernel tries without at first. */
  private void bind(Arena arena, int index, int queue) throws SystemCallException {
    MemorySegment address = arena.allocate(SOCKADDR_XDP, Integer.BYTES);
    address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_XDP);
    address.set(ValueLayout.JAVA_SHORT, Short.BYTES, XDP_USE_NEED_WAKEUP);
    address.setAtIndex(ValueLayout.JAVA_INT, 1, index);
    address.setAtIndex(ValueLayout.JAVA_INT, 2, queue);
    BIND.call(descriptor.number(), address.address(), SOCKADDR_XDP);
  }

  private XdpRing ring(MemorySegment offsets, int number, long at, int entry)
      throws SystemCallException {
    long own = offsets.address() + (long) number * OFFSETS;
    long length = Memory.getLongNative(own + 2L * Long.BYTES) + (long) entries * entry;
    int flags = MAP_SHARED_POPULATE;
    long address = MMAP.call(0, length, PROT_READ_WRITE, flags, descriptor.number(), at);
    mappings.add(new Mapping(address, length));
    return new XdpRing(own, address, entry, entries);
  }

  /** The socket, readable when frames have come. */
  Descriptor descriptor() {
    return descriptor;
  }

  /** Whether the kernel copies frames, since the driver cannot use our memory. */
  boolean copies() {
    return copies;
  }

  /** Where the memory of the frames begins, to which rings' addresses are relative. */
  long memory() {
    return memory.segment().address();
  }

  /** Lets the kernel go on with the frames to be sent; returns 0, or the negated error number. */
  int send() {
    try {
      int number = descriptor.number();
      long result = (long) SEND.invokeExact(state, number, 0L, 0L, MSG_DONTWAIT, 0L, 0);
      return result < 0 ? -SystemCall.errno(state) : 0;
    } catch (Throwable unexpected) {
      throw new AssertionError("sendto", unexpected);
    }
  }

  /** Lets the kernel go on with the frames to receive into. */
  void receive() {
    try {
      int number = descriptor.number();
      long ignored = (long) RECEIVE.invokeExact(number, 0L, 0L, MSG_DONTWAIT, 0L, 0L);
    } catch (Throwable unexpected) {
      throw new AssertionError("recvfrom", unexpected);
    }
  }

  /** Frames that were lost because we did not receive them in time. */
  long dropped() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment counts = arena.allocate(STATISTICS, Long.BYTES);
      get(XDP_STATISTICS, counts);
      return dropped(counts);
    } catch (SystemCallException e) {
      return 0;
    }
  }

  /**
   * Frames lost by {@code struct xdp_statistics}: rx_dropped and rx_ring_full. How often the fill
   * ring was found empty is no part of it: a driver with zero copy asks for memory ahead of frames,
   * and where frames are copied, each one lost so is in rx_dropped, too.
   */
  static long dropped(MemorySegment counts) {
    return counts.getAtIndex(ValueLayout.JAVA_LONG, 0)
        + counts.getAtIndex(ValueLayout.JAVA_LONG, 3);
  }

  private void set(int option, MemorySegment value) throws SystemCallException {
    SETSOCKOPT.call(descriptor.number(), SOL_XDP, option, value.address(), value.byteSize());
  }

  private void get(int option, MemorySegment value) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) value.byteSize());
      GETSOCKOPT.call(descriptor.number(), SOL_XDP, option, value.address(), length.address());
    }
  }

  /** Closes the socket, and unmaps its memory. No burst may be running. */
  @Override
  public void close() {
    close(memory);
  }

  private void close(PrivateMemory frames) {
    descriptor.close();
    mappings.forEach(each -> MUNMAP.attempt(each.address, each.length));
    mappings.clear();
    if (frames != null) {
      frames.close();
    }
  }
}
