package org.rddp.daemon.packet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv6;

/**
 * The classic BPF program of a packet socket that takes only frames for an interface's addresses,
 * ARP, and multicast that ICMPv6 uses: the kernel copies no others. Frames with a VLAN tag, which
 * the kernel removes, and those that this host sends are for others, too.
 */
final class AddressFilter {
  private static final int LOAD_WORD = 0x20;
  private static final int LOAD_HALF = 0x28;
  private static final int LOAD_OCTET = 0x30;
  private static final int EQUAL = 0x15;
  private static final int RETURN = 0x06;

  /** Where the kernel's own values begin (SKF_AD_OFF). */
  private static final int KERNEL = -0x1000;

  private static final int PACKET_TYPE = KERNEL + 4;
  private static final int VLAN_TAG_PRESENT = KERNEL + 48;
  private static final int PACKET_OTHERHOST = 3;
  private static final int PACKET_OUTGOING = 4;
  private static final int ETHER_TYPE = 12;
  private static final int IPV4_DESTINATION = Ethernet.HEADER + 16;
  private static final int IPV6_NEXT_HEADER = Ethernet.HEADER + 6;
  private static final int IPV6_DESTINATION = Ethernet.HEADER + 24;
  private static final int MULTICAST = 0xff;
  private static final int WHOLE_FRAME = 0x7fffffff;
  private static final int INSTRUCTION = 8;

  /** One instruction; a jump's targets are in instructions behind it. */
  private record Instruction(int code, int ifTrue, int ifFalse, int value) {}

  private AddressFilter() {}

  /** The program, an array of {@code struct sock_filter}. */
  static byte[] of(List<HostAddress> addresses) {
    List<Instruction> program = new ArrayList<>();
    program.add(load(LOAD_WORD, PACKET_TYPE));
    program.add(unlessEqual(PACKET_OUTGOING, 1));
    program.add(drop());
    program.add(unlessEqual(PACKET_OTHERHOST, 1));
    program.add(drop());
    program.add(load(LOAD_WORD, VLAN_TAG_PRESENT));
    program.add(ifEqual(0, 1));
    program.add(drop());
    program.add(load(LOAD_HALF, ETHER_TYPE));
    program.add(unlessEqual(Ethernet.TYPE_ARP, 1));
    program.add(take());
    List<Instruction> ipv4 = ipv4(addresses);
    program.add(unlessEqual(Ethernet.TYPE_IPV4, ipv4.size()));
    program.addAll(ipv4);
    program.add(ifEqual(Ethernet.TYPE_IPV6, 1));
    program.add(drop());
    program.addAll(ipv6(addresses));
    return octets(program);
  }

  private static List<Instruction> ipv4(List<HostAddress> addresses) {
    List<Instruction> program = new ArrayList<>();
    program.add(load(LOAD_WORD, IPV4_DESTINATION));
    for (HostAddress each : addresses) {
      if (each instanceof Ipv4Address address) {
        program.add(unlessEqual(address.bits(), 1));
        program.add(take());
      }
    }
    program.add(drop());
    return program;
  }

  private static List<Instruction> ipv6(List<HostAddress> addresses) {
    List<Instruction> program = new ArrayList<>();
    program.add(load(LOAD_OCTET, IPV6_DESTINATION));
    program.add(unlessEqual(MULTICAST, 6));
    program.add(load(LOAD_OCTET, IPV6_NEXT_HEADER));
    program.add(unlessEqual(Ipv6.ICMPV6, 1));
    program.add(take());
    // Multicast Listener Queries have a Router Alert (RFC 3810 section 5).
    program.add(unlessEqual(Ipv6.HOP_BY_HOP, 1));
    program.add(take());
    program.add(drop());
    for (HostAddress each : addresses) {
      if (each instanceof Ipv6Address address) {
        int[] words = {
          (int) (address.high() >>> 32),
          (int) address.high(),
          (int) (address.low() >>> 32),
          (int) address.low()
        };
        for (int i = 0; i < words.length; i++) {
          program.add(load(LOAD_WORD, IPV6_DESTINATION + i * Integer.BYTES));
          program.add(unlessEqual(words[i], 2 * (words.length - i) - 1));
        }
        program.add(take());
      }
    }
    program.add(drop());
    return program;
  }

  private static Instruction load(int code, int offset) {
    return new Instruction(code, 0, 0, offset);
  }

  private static Instruction ifEqual(int value, int jump) {
    return new Instruction(EQUAL, jump, 0, value);
  }

  private static Instruction unlessEqual(int value, int jump) {
    return new Instruction(EQUAL, 0, jump, value);
  }

  private static Instruction take() {
    return new Instruction(RETURN, 0, 0, WHOLE_FRAME);
  }

  private static Instruction drop() {
    return new Instruction(RETURN, 0, 0, 0);
  }

  private static byte[] octets(List<Instruction> program) {
    ByteBuffer octets =
        ByteBuffer.allocate(program.size() * INSTRUCTION).order(ByteOrder.nativeOrder());
    for (Instruction each : program) {
      octets
          .putShort((short) each.code)
          .put((byte) each.ifTrue)
          .put((byte) each.ifFalse)
          .putInt(each.value);
    }
    return octets.array();
  }
}
