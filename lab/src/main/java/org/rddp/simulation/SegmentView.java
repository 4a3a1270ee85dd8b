package org.rddp.simulation;

import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Fragment;
import org.rddp.wire.Memory;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;

/** A TCP segment in a frame, as middleboxes see it. */
public final class SegmentView {
  private static final int TRAFFIC_CLASS = 1;
  private static final int TOTAL_LENGTH = 2;
  private static final int PAYLOAD_LENGTH = 4;
  private static final int NEXT_HEADER = 6;
  private static final int IPV6_ECN_SHIFT = 4;
  private static final int IDENTIFICATION = 4;
  private static final int FRAGMENT = 6;
  private static final int MORE_FRAGMENTS = 0x2000;
  private static final int IP_CHECKSUM = 10;
  private static final int SEQUENCE = 4;
  private static final int FLAGS = 13;
  private static final int TCP_CHECKSUM = 16;
  private static final int ORDINARY = Tcp.ACK | Tcp.PSH | Tcp.FIN;

  /** No type of a message. */
  private static final int NO_TYPE = -1;

  private SegmentView() {}

  /**
   * Whether a frame holds a whole TCP segment, with right checksums or not.
   *
   * @param length octets of the frame
   */
  public static boolean isSegment(long frame, int length) {
    if (!Ethernet.wellFormed(length)) {
      return false;
    }
    long packet = packet(frame);
    if (Ethernet.type(frame) == Ethernet.TYPE_IPV6) {
      return Ipv6.wellFormed(packet, length - Ethernet.HEADER)
          && Ipv6.nextHeader(packet) == Ipv4.PROTOCOL_TCP
          && Tcp.wellFormed(segment(frame), length(frame));
    }
    return Ethernet.type(frame) == Ethernet.TYPE_IPV4
        && Ipv4.wellFormed(packet, length - Ethernet.HEADER)
        && Ipv4.protocol(packet) == Ipv4.PROTOCOL_TCP
        && !Ipv4.fragment(packet)
        && Tcp.wellFormed(segment(frame), length(frame));
  }

  /** Whether a frame holds a solicitation or an advertisement of a neighbour (RFC 4861). */
  static boolean isNeighbourMessage(long frame, int length) {
    if (Ethernet.type(frame) != Ethernet.TYPE_IPV6) {
      return false;
    }
    int type = icmpv6Type(frame, length);
    return type == Icmpv6.NEIGHBOUR_SOLICITATION || type == Icmpv6.NEIGHBOUR_ADVERTISEMENT;
  }

  /** Whether a frame holds an error message of ICMPv6. */
  static boolean isIcmpv6Error(long frame, int length) {
    return Ethernet.type(frame) == Ethernet.TYPE_IPV6
        && icmpv6Type(frame, length) != NO_TYPE
        && Icmpv6.error(packet(frame) + Ipv6.HEADER);
  }

  /**
   * The ICMPv6 type of a message in an IPv6 frame; {@link #NO_TYPE} if it is of another protocol.
   */
  private static int icmpv6Type(long frame, int length) {
    long packet = packet(frame);
    boolean message =
        Ipv6.wellFormed(packet, length - Ethernet.HEADER)
            && Ipv6.nextHeader(packet) == Ipv6.ICMPV6
            && Ipv6.payloadLength(packet) >= Icmpv6.HEADER;
    return message ? Icmpv6.type(packet + Ipv6.HEADER) : NO_TYPE;
  }

  /** Whether an IP packet is one of IPv6. */
  static boolean isIpv6(long packet) {
    return Memory.getByte(packet) >>> 4 == 6;
  }

  /** Octets of the IP header. */
  static int header(long packet) {
    return isIpv6(packet) ? Ipv6.HEADER : Ipv4.headerLength(packet);
  }

  /** Octets of the IP packet. */
  static int total(long packet) {
    return isIpv6(packet) ? Ipv6.HEADER + Ipv6.payloadLength(packet) : Ipv4.totalLength(packet);
  }

  /** The ECN codepoint of an IP packet. */
  static int ecn(long packet) {
    return isIpv6(packet) ? Ipv6.ecn(packet) : Ipv4.ecn(packet);
  }

  /** The lowest 32 bits of the source's address. */
  static int source(long packet) {
    return isIpv6(packet) ? (int) Ipv6.sourceLow(packet) : Ipv4.source(packet);
  }

  /** The lowest 32 bits of the destination's address. */
  static int destination(long packet) {
    return isIpv6(packet) ? (int) Ipv6.destinationLow(packet) : Ipv4.destination(packet);
  }

  /** Address of the IP packet. */
  public static long packet(long frame) {
    return frame + Ethernet.HEADER;
  }

  /** Address of the TCP header. */
  public static long segment(long frame) {
    return packet(frame) + header(packet(frame));
  }

  /** Octets of TCP header and payload. */
  public static int length(long frame) {
    return total(packet(frame)) - header(packet(frame));
  }

  /** Address of the payload. */
  public static long payload(long frame) {
    return segment(frame) + Tcp.headerLength(segment(frame));
  }

  /** Octets of the payload. */
  public static int payloadLength(long frame) {
    return length(frame) - Tcp.headerLength(segment(frame));
  }

  /** Octets of sequence space: the payload, SYN and FIN. */
  public static int sequenceLength(long frame) {
    int flags = Tcp.flags(segment(frame));
    return payloadLength(frame)
        + ((flags & Tcp.SYN) != 0 ? 1 : 0)
        + ((flags & Tcp.FIN) != 0 ? 1 : 0);
  }

  /** Whether the checksums of IP and TCP are right. */
  public static boolean intact(long frame) {
    long packet = packet(frame);
    return (isIpv6(packet) || Ipv4.intact(packet))
        && Tcp.intact(segment(frame), length(frame), pseudoHeader(packet, length(frame)));
  }

  private static long pseudoHeader(long packet, int length) {
    return isIpv6(packet)
        ? Checksum.pseudoHeader(
            Ipv6.sourceHigh(packet),
            Ipv6.sourceLow(packet),
            Ipv6.destinationHigh(packet),
            Ipv6.destinationLow(packet),
            Ipv4.PROTOCOL_TCP,
            length)
        : Checksum.pseudoHeader(
            Ipv4.source(packet), Ipv4.destination(packet), Ipv4.PROTOCOL_TCP, length);
  }

  /**
   * Whether a frame holds a TCP segment with payload, right checksums and no flags but those that
   * segments of a stream have.
   *
   * @param length octets of the frame
   */
  static boolean isOrdinary(long frame, int length) {
    return isSegment(frame, length)
        && (Tcp.flags(segment(frame)) & ~ORDINARY) == 0
        && payloadLength(frame) > 0
        && intact(frame);
  }

  /** Whether a segment continues another of the same connection, so that they can be joined. */
  static boolean follows(long first, long second) {
    long one = segment(first);
    long two = segment(second);
    return sameConnection(first, second)
        && Tcp.headerLength(one) == Tcp.headerLength(two)
        && Tcp.sequence(two) == Tcp.sequence(one) + payloadLength(first)
        && SequenceNumber.distance(Tcp.acknowledgment(one), Tcp.acknowledgment(two)) >= 0
        && (Tcp.flags(one) & Tcp.FIN) == 0;
  }

  private static boolean sameConnection(long first, long second) {
    long one = packet(first);
    long two = packet(second);
    return source(one) == source(two)
        && destination(one) == destination(two)
        && ecn(one) == ecn(two)
        && Memory.getInt(segment(first)) == Memory.getInt(segment(second));
  }

  /**
   * Appends the payload of a segment to another one, behind which there is room, and takes the
   * newer header.
   *
   * @return octets of the longer frame
   */
  static int append(long first, long second) {
    int added = payloadLength(second);
    int length = payloadLength(first);
    long segment = segment(first);
    int sequence = Tcp.sequence(segment);
    Memory.copy(payload(second), payload(first) + length, added);
    Memory.copy(segment(second), segment, Tcp.headerLength(segment(second)));
    sequence(segment, sequence);
    return size(first, length + added);
  }

  /** A frame with some octets of a segment. */
  static long piece(FrameStore frames, long frame, int from, int octets, boolean last) {
    long copy = frames.copy(frame);
    long address = frames.address(copy);
    long segment = segment(address);
    sequence(segment, Tcp.sequence(segment) + from);
    if (!last) {
      clearFlags(segment, Tcp.PSH | Tcp.FIN);
    }
    Memory.copy(payload(frames.address(frame)) + from, payload(address), octets);
    frames.length(copy, size(address, octets));
    return copy;
  }

  /** Sets the length of a segment's payload; returns the frame's length. */
  private static int size(long frame, int octets) {
    long packet = packet(frame);
    int total = (int) (payload(frame) - packet) + octets;
    totalLength(packet, total);
    checksum(frame);
    return (int) (packet - frame) + total;
  }

  /** Writes both checksums. */
  static void checksum(long frame) {
    long packet = packet(frame);
    ipChecksum(packet);
    long segment = segment(frame);
    int length = length(frame);
    Memory.putShort(segment + TCP_CHECKSUM, 0);
    Tcp.putChecksum(segment, pseudoHeader(packet, length) + Checksum.sum(segment, length));
  }

  /** Writes the length of an IP packet; the caller writes the checksum afterwards. */
  static void totalLength(long packet, int octets) {
    if (isIpv6(packet)) {
      Memory.putShort(packet + PAYLOAD_LENGTH, octets - Ipv6.HEADER);
    } else {
      Memory.putShort(packet + TOTAL_LENGTH, octets);
    }
  }

  /**
   * Makes an IP packet a fragment, and corrects its checksum.
   *
   * @param total octets of header and payload
   * @param offset where the payload belongs, in units of eight octets
   */
  static void fragment(long packet, int total, int identification, int offset, boolean last) {
    totalLength(packet, total);
    if (isIpv6(packet)) {
      int next = Ipv6.nextHeader(packet);
      Memory.putByte(packet + NEXT_HEADER, Ipv6.FRAGMENT);
      Ipv6Fragment.write(packet + Ipv6.HEADER, next, offset * 8, !last, identification);
      return;
    }
    Memory.putShort(packet + IDENTIFICATION, identification);
    Memory.putShort(packet + FRAGMENT, offset | (last ? 0 : MORE_FRAGMENTS));
    ipChecksum(packet);
  }

  /** Writes a sequence number; the caller writes the checksum afterwards. */
  static void sequence(long segment, int sequence) {
    Memory.putInt(segment + SEQUENCE, sequence);
  }

  /** Clears flags; the caller writes the checksum afterwards. */
  static void clearFlags(long segment, int flags) {
    Memory.putByte(segment + FLAGS, Memory.getByte(segment + FLAGS) & ~flags);
  }

  /** Marks an IP packet as having met congestion (RFC 3168 section 5). */
  static void congestionExperienced(long packet) {
    int shift = isIpv6(packet) ? IPV6_ECN_SHIFT : 0;
    int before = Memory.getByte(packet + TRAFFIC_CLASS);
    Memory.putByte(packet + TRAFFIC_CLASS, before | (Ipv4.CE << shift));
    ipChecksum(packet);
  }

  private static void ipChecksum(long packet) {
    if (isIpv6(packet)) {
      return;
    }
    Memory.putShort(packet + IP_CHECKSUM, 0);
    int sum = Checksum.sum(packet, Ipv4.headerLength(packet));
    Memory.putShort(packet + IP_CHECKSUM, Checksum.field(sum));
  }
}
