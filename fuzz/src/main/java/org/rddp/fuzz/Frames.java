package org.rddp.fuzz;

import org.rddp.ip.Ipv4Address;
import org.rddp.wire.Arp;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/** The frames on the link between a fuzzed stack and its peer. */
final class Frames {
  static final Ipv4Address OURS = Ipv4Address.parse("10.0.0.1");
  static final Ipv4Address THEIRS = Ipv4Address.parse("10.0.0.2");
  static final long THEIR_MAC = 0x02_00_00_00_00_02L;

  /** Where TCP begins in a frame without IP options. */
  static final int TCP = Ethernet.HEADER + Ipv4.HEADER;

  private Frames() {}

  /** Fails unless a condition holds. */
  static void require(boolean sound, String what) {
    if (!sound) {
      throw new AssertionError(what);
    }
  }

  /** An answer to a question for the peer's MAC address. */
  static byte[] arpReply() {
    long frame = Memory.allocate(64);
    Ethernet.write(frame, FuzzedDevice.OUR_MAC, THEIR_MAC, Ethernet.TYPE_ARP);
    Arp.write(
        frame + Ethernet.HEADER,
        Arp.REPLY,
        THEIR_MAC,
        THEIRS.bits(),
        FuzzedDevice.OUR_MAC,
        OURS.bits());
    return Memory.bytes(frame, Ethernet.HEADER + Arp.LENGTH);
  }

  /** Fails unless a sent frame is allowed; returns whether it is TCP. */
  static boolean check(long frame, int length, int mtu, TcpOptions options) {
    require(length >= Ethernet.HEADER && length <= Ethernet.HEADER + mtu, "length " + length);
    require(Ethernet.source(frame) == FuzzedDevice.OUR_MAC, "the source's MAC address");
    long ip = frame + Ethernet.HEADER;
    if (Ethernet.type(frame) == Ethernet.TYPE_ARP) {
      require(Arp.wellFormed(ip, length - Ethernet.HEADER), "malformed ARP");
      return false;
    }
    require(Ethernet.type(frame) == Ethernet.TYPE_IPV4, "EtherType " + Ethernet.type(frame));
    require(Ipv4.wellFormed(ip, length - Ethernet.HEADER) && Ipv4.intact(ip), "malformed IPv4");
    require(Ipv4.source(ip) == OURS.bits(), "the source's address");
    if (Ipv4.protocol(ip) != Ipv4.PROTOCOL_TCP) {
      return false;
    }
    int octets = Ipv4.totalLength(ip) - Ipv4.HEADER;
    long tcp = frame + TCP;
    require(Tcp.wellFormed(tcp, octets), "malformed TCP");
    require(options.parse(tcp, Tcp.headerLength(tcp)), "malformed options");
    int flags = Tcp.flags(tcp);
    require(Integer.bitCount(flags & (Tcp.SYN | Tcp.FIN | Tcp.RST)) <= 1, "flags " + flags);
    require(Tcp.intact(tcp, octets, OURS.bits(), Ipv4.destination(ip)), "TCP checksum");
    return true;
  }

  /** Corrects lengths and checksums of an IPv4 packet, as far as its headers allow. */
  static void repair(long ip, int octets) {
    if (octets < Ipv4.HEADER) {
      return;
    }
    Memory.putByte(ip, 0x45);
    Memory.putShort(ip + 2, octets);
    Memory.putInt(ip + 12, THEIRS.bits());
    Memory.putInt(ip + 16, OURS.bits());
    Memory.putShort(ip + 10, 0);
    Memory.putShort(ip + 10, Checksum.field(Checksum.sum(ip, Ipv4.HEADER)));
    long payload = ip + Ipv4.HEADER;
    int length = octets - Ipv4.HEADER;
    if (Ipv4.protocol(ip) == Ipv4.PROTOCOL_TCP && length >= Tcp.HEADER) {
      Memory.putShort(payload + 16, 0);
      long pseudo = Checksum.pseudoHeader(THEIRS.bits(), OURS.bits(), Ipv4.PROTOCOL_TCP, length);
      Tcp.putChecksum(payload, pseudo + Checksum.sum(payload, length));
    } else if (Ipv4.protocol(ip) == Ipv4.PROTOCOL_ICMP && length >= 4) {
      Memory.putShort(payload + 2, 0);
      Memory.putShort(payload + 2, Checksum.field(Checksum.sum(payload, length)));
    }
  }
}
