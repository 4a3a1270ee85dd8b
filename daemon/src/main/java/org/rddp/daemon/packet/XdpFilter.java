package org.rddp.daemon.packet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.wire.Ethernet;

/**
 * The instructions of an XDP program that redirects untagged frames to our MAC address and one of
 * our IP addresses into the socket of their queue, and leaves all others to the kernel, ARP and
 * multicast included, which the host needs, too.
 *
 * <p>Instructions: RFC 9669. Registers: r1 is the context, r2 the frame, r3 its end.
 */
final class XdpFilter {
  /** Octets of an instruction. */
  static final int INSTRUCTION = 8;

  private static final int LOAD_HALF = 0x69;
  private static final int LOAD_WORD = 0x61;
  private static final int LOAD_CONSTANT = 0x18;
  private static final int MOVE = 0xb7;
  private static final int MOVE_REGISTER = 0xbf;
  private static final int ADD = 0x07;
  private static final int JUMP = 0x05;
  private static final int JUMP_IF_GREATER = 0x2d;
  private static final int JUMP_UNLESS_EQUAL = 0x56; // of 32 bits
  private static final int CALL = 0x85;
  private static final int EXIT = 0x95;

  /** The source register of LOAD_CONSTANT if the constant is the descriptor of a map. */
  private static final int OF_MAP = 1;

  private static final int REDIRECT_MAP = 51;

  /** XDP_PASS: the kernel gets the frame. */
  private static final int PASS = 2;

  // struct xdp_md
  private static final int DATA = 0;
  private static final int DATA_END = 4;
  private static final int RX_QUEUE = 16;

  private static final int ETHER_TYPE = 12;
  private static final int IPV4_DESTINATION = Ethernet.HEADER + 16;
  private static final int IPV6_DESTINATION = Ethernet.HEADER + 24;

  private final List<int[]> program = new ArrayList<>();

  /** Positions of jumps to the end, at which the kernel gets the frame. */
  private final List<Integer> toPass = new ArrayList<>();

  /** Positions of jumps to the redirection. */
  private final List<Integer> toTake = new ArrayList<>();

  private XdpFilter() {}

  /**
   * The program, an array of {@code struct bpf_insn}.
   *
   * @param macAddress in the low 48 bits
   * @param map descriptor of the map of sockets by queue
   */
  static byte[] of(long macAddress, List<HostAddress> addresses, int map) {
    XdpFilter filter = new XdpFilter();
    filter.beginning(macAddress);
    for (HostAddress each : addresses) {
      if (each instanceof Ipv4Address address) {
        filter.address(Ethernet.TYPE_IPV4, IPV4_DESTINATION, address.bits());
      } else if (each instanceof Ipv6Address address) {
        filter.address(
            Ethernet.TYPE_IPV6,
            IPV6_DESTINATION,
            (int) (address.high() >>> 32),
            (int) address.high(),
            (int) (address.low() >>> 32),
            (int) address.low());
      }
    }
    filter.end(map);
    return filter.octets();
  }

  private void beginning(long macAddress) {
    add(LOAD_WORD, 2, 1, DATA, 0);
    add(LOAD_WORD, 3, 1, DATA_END, 0);
    require(Ethernet.HEADER);
    int high = (int) (macAddress >>> 16);
    add(LOAD_WORD, 4, 2, 0, 0);
    toPass.add(add(JUMP_UNLESS_EQUAL, 4, 0, 0, inMemory(high)));
    add(LOAD_HALF, 4, 2, Integer.BYTES, 0);
    toPass.add(add(JUMP_UNLESS_EQUAL, 4, 0, 0, inMemory((short) macAddress)));
    add(LOAD_HALF, 5, 2, ETHER_TYPE, 0);
  }

  /** Takes a frame with this destination; r5 is the frame's type. */
  private void address(int type, int offset, int... words) {
    List<Integer> toNext = new ArrayList<>();
    toNext.add(add(JUMP_UNLESS_EQUAL, 5, 0, 0, inMemory((short) type)));
    require(offset + words.length * Integer.BYTES);
    for (int i = 0; i < words.length; i++) {
      add(LOAD_WORD, 4, 2, offset + i * Integer.BYTES, 0);
      toNext.add(add(JUMP_UNLESS_EQUAL, 4, 0, 0, inMemory(words[i])));
    }
    toTake.add(add(JUMP, 0, 0, 0, 0));
    toNext.forEach(this::jumpsHere);
  }

  /** Leaves a shorter frame to the kernel; without the check, it refuses the program. */
  private void require(int octets) {
    add(MOVE_REGISTER, 4, 2, 0, 0);
    add(ADD, 4, 0, 0, octets);
    toPass.add(add(JUMP_IF_GREATER, 4, 3, 0, 0));
  }

  private void end(int map) {
    toPass.forEach(this::jumpsHere);
    add(MOVE, 0, 0, 0, PASS);
    add(EXIT, 0, 0, 0, 0);
    toTake.forEach(this::jumpsHere);
    add(LOAD_WORD, 2, 1, RX_QUEUE, 0);
    add(LOAD_CONSTANT, 1, OF_MAP, 0, map);
    add(0, 0, 0, 0, 0); // the upper half of the constant
    // What happens to a frame of a queue without a socket.
    add(MOVE, 3, 0, 0, PASS);
    add(CALL, 0, 0, 0, REDIRECT_MAP);
    add(EXIT, 0, 0, 0, 0);
  }

  /** How a word of the network's order looks to a load in the machine's. */
  private static int inMemory(int word) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.reverseBytes(word) : word;
  }

  private static int inMemory(short half) {
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    return (little ? Short.reverseBytes(half) : half) & 0xffff;
  }

  /** Adds an instruction; returns its position. */
  private int add(int code, int destination, int source, int offset, int constant) {
    program.add(new int[] {code, destination, source, offset, constant});
    return program.size() - 1;
  }

  private void jumpsHere(int position) {
    program.get(position)[3] = program.size() - position - 1;
  }

  private byte[] octets() {
    ByteOrder order = ByteOrder.nativeOrder();
    ByteBuffer octets = ByteBuffer.allocate(program.size() * INSTRUCTION).order(order);
    boolean little = order == ByteOrder.LITTLE_ENDIAN;
    for (int[] each : program) {
      int registers = little ? each[1] | (each[2] << 4) : (each[1] << 4) | each[2];
      octets.put((byte) each[0]).put((byte) registers).putShort((short) each[3]);
      octets.putInt(each[4]);
    }
    return octets.array();
  }
}
