package org.rddp.daemon.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * An {@link XdpFilter} on a Linux interface, with its map of sockets (bpf(2)). It is there until it
 * is closed, or this process ends.
 */
final class XdpProgram implements AutoCloseable {
  private static final long BPF = System.getProperty("os.arch").equals("amd64") ? 321 : 280;
  private static final int MAP_CREATE = 0;
  private static final int MAP_UPDATE = 2;
  private static final int PROGRAM_LOAD = 5;
  private static final int LINK_CREATE = 28;
  private static final int PROGRAM_OF_XDP = 6;
  private static final int MAP_OF_SOCKETS = 17;
  private static final int ATTACH_XDP = 37;

  /** By the driver, before the kernel makes its own structures. */
  private static final int DRIVER_MODE = 1 << 2;

  /** Octets of {@code union bpf_attr} that we fill; the kernel takes the rest as zero. */
  private static final int ATTRIBUTES = 72;

  private static final SystemCall SYSCALL = SystemCall.bind("syscall", "l:l.ill");

  private final Descriptor map;
  private final Descriptor program;
  private final Descriptor link;

  /**
   * Makes the program and lets the interface use it.
   *
   * @param index of the interface
   * @param macAddress in the low 48 bits
   * @param queues receive queues, from 0
   * @throws SystemCallException without CAP_BPF and CAP_NET_ADMIN, if the driver has no XDP, or if
   *     the interface has another program
   */
  XdpProgram(int index, long macAddress, List<HostAddress> addresses, int queues)
      throws SystemCallException {
    map = makeMap(queues);
    try {
      program = load(XdpFilter.of(macAddress, addresses, map.number()));
    } catch (SystemCallException e) {
      map.close();
      throw e;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(ATTRIBUTES, Long.BYTES);
      request.setAtIndex(ValueLayout.JAVA_INT, 0, program.number());
      request.setAtIndex(ValueLayout.JAVA_INT, 1, index);
      request.setAtIndex(ValueLayout.JAVA_INT, 2, ATTACH_XDP);
      request.setAtIndex(ValueLayout.JAVA_INT, 3, DRIVER_MODE);
      link = Descriptor.of(call("attach", LINK_CREATE, request));
    } catch (SystemCallException e) {
      map.close();
      program.close();
      throw e;
    }
  }

  private static Descriptor makeMap(int queues) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(ATTRIBUTES, Long.BYTES);
      request.setAtIndex(ValueLayout.JAVA_INT, 0, MAP_OF_SOCKETS);
      request.setAtIndex(ValueLayout.JAVA_INT, 1, Integer.BYTES);
      request.setAtIndex(ValueLayout.JAVA_INT, 2, Integer.BYTES);
      request.setAtIndex(ValueLayout.JAVA_INT, 3, queues);
      return Descriptor.of(call("map", MAP_CREATE, request));
    }
  }

  private static Descriptor load(byte[] instructions) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(instructions.length, Long.BYTES);
      MemorySegment.copy(instructions, 0, copy, ValueLayout.JAVA_BYTE, 0, instructions.length);
      MemorySegment request = arena.allocate(ATTRIBUTES, Long.BYTES);
      request.setAtIndex(ValueLayout.JAVA_INT, 0, PROGRAM_OF_XDP);
      request.setAtIndex(ValueLayout.JAVA_INT, 1, instructions.length / XdpFilter.INSTRUCTION);
      request.setAtIndex(ValueLayout.JAVA_LONG, 1, copy.address());
      request.setAtIndex(ValueLayout.JAVA_LONG, 2, arena.allocateFrom("Apache-2.0").address());
      return Descriptor.of(call("load", PROGRAM_LOAD, request));
    }
  }

  /** Lets the frames of a queue go into a socket. */
  void put(int queue, int socket) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(ATTRIBUTES, Long.BYTES);
      request.setAtIndex(ValueLayout.JAVA_INT, 0, map.number());
      request.setAtIndex(
          ValueLayout.JAVA_LONG, 1, arena.allocateFrom(ValueLayout.JAVA_INT, queue).address());
      request.setAtIndex(
          ValueLayout.JAVA_LONG, 2, arena.allocateFrom(ValueLayout.JAVA_INT, socket).address());
      call("map", MAP_UPDATE, request);
    }
  }

  private static long call(String what, int command, MemorySegment request)
      throws SystemCallException {
    long result = SYSCALL.attempt(BPF, command, request.address(), request.byteSize());
    if (result < 0) {
      throw new SystemCallException("bpf, " + what, (int) -result);
    }
    return result;
  }

  /** Ends it: the kernel gets all frames. */
  @Override
  public void close() {
    link.close();
    program.close();
    map.close();
  }
}
