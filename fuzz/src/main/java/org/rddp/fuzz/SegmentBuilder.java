package org.rddp.fuzz;

import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/** Builds the peer's segments, with options and checksums. */
final class SegmentBuilder {
  private static final int LONGEST_OPTIONS = 40;
  private static final int PADDED_SACK = 0x01010500;

  private final long frame = Memory.allocate(10_000);
  private final long tcp = frame + Frames.TCP;
  private int options;

  /** Begins a segment without options. */
  void begin() {
    options = 0;
  }

  private long place(int octets) {
    long at = tcp + Tcp.HEADER + options;
    options += octets;
    return at;
  }

  private boolean fits(int octets) {
    return options + octets <= LONGEST_OPTIONS;
  }

  void mss(int mss) {
    if (fits(TcpOptions.MSS_LENGTH)) {
      TcpOptions.putMss(place(TcpOptions.MSS_LENGTH), mss);
    }
  }

  void windowScale(int shift) {
    if (fits(TcpOptions.WINDOW_SCALE_LENGTH)) {
      TcpOptions.putWindowScale(place(TcpOptions.WINDOW_SCALE_LENGTH), shift);
    }
  }

  void timestamps(int value, int echo) {
    if (fits(TcpOptions.TIMESTAMPS_LENGTH)) {
      TcpOptions.putTimestamps(place(TcpOptions.TIMESTAMPS_LENGTH), value, echo);
    }
  }

  void sackPermitted() {
    if (fits(4)) {
      Memory.putInt(place(4), 0x01010402);
    }
  }

  /** One block of SACK. */
  void sack(int left, int right) {
    if (fits(12)) {
      long at = place(12);
      Memory.putInt(at, PADDED_SACK | 10);
      Memory.putInt(at + 4, left);
      Memory.putInt(at + 8, right);
    }
  }

  /** Four octets of any options. */
  void any(FuzzInput input) {
    if (fits(4)) {
      long at = place(4);
      for (int i = 0; i < 4; i++) {
        Memory.putByte(at + i, input.octet());
      }
    }
  }

  /** The frame, its payload made from its sequence numbers. */
  byte[] end(
      FuzzedFlow flow,
      int sequence,
      int acknowledgment,
      int flags,
      int window,
      int length,
      int ecn) {
    int header = Tcp.HEADER + options;
    Tcp.write(tcp, flow.theirPort, flow.ourPort, sequence, acknowledgment, header, flags, window);
    int first = sequence + ((flags & Tcp.SYN) >>> 1);
    for (int i = 0; i < length; i++) {
      Memory.putByte(tcp + header + i, FuzzedFlow.octet(first + i));
    }
    Memory.putShort(tcp + 16, 0);
    int total = header + length;
    long pseudo =
        Checksum.pseudoHeader(Frames.THEIRS.bits(), Frames.OURS.bits(), Ipv4.PROTOCOL_TCP, total);
    Tcp.putChecksum(tcp, pseudo + Checksum.sum(tcp, total));
    return packet(total, Ipv4.PROTOCOL_TCP, ecn);
  }

  /** An ICMP error about a segment of ours that has left, or that might have. */
  byte[] unreachable(FuzzedFlow flow, int code, int mtu, int sequence) {
    long icmp = tcp;
    long quoted = icmp + Icmpv4.HEADER;
    Memory.fill(icmp, Icmpv4.HEADER, 0);
    Memory.putByte(icmp, Icmpv4.UNREACHABLE);
    Memory.putByte(icmp + 1, code);
    Memory.putShort(icmp + 6, mtu);
    Ipv4.write(quoted, 1500, Ipv4.PROTOCOL_TCP, Frames.OURS.bits(), Frames.THEIRS.bits());
    Memory.putInt(quoted + Ipv4.HEADER, flow.ourPort << 16 | flow.theirPort);
    Memory.putInt(quoted + Ipv4.HEADER + 4, sequence);
    int total = Icmpv4.HEADER + Ipv4.HEADER + 8;
    Memory.putShort(icmp + 2, Checksum.field(Checksum.sum(icmp, total)));
    return packet(total, Ipv4.PROTOCOL_ICMP, Ipv4.NOT_ECT);
  }

  private byte[] packet(int length, int protocol, int ecn) {
    Ethernet.write(frame, FuzzedDevice.OUR_MAC, Frames.THEIR_MAC, Ethernet.TYPE_IPV4);
    long ip = frame + Ethernet.HEADER;
    int total = Ipv4.HEADER + length;
    Ipv4.write(ip, total, protocol, Frames.THEIRS.bits(), Frames.OURS.bits(), ecn);
    return Memory.bytes(frame, Ethernet.HEADER + total);
  }
}
