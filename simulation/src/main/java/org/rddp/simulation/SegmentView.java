package org.rddp.simulation;

import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/** A TCP segment in a frame, as middleboxes see it. */
public final class SegmentView {
  private static final int TRAFFIC_CLASS = 1;
  private static final int TOTAL_LENGTH = 2;
  private static final int IDENTIFICATION = 4;
  private static final int FRAGMENT = 6;
  private static final int MORE_FRAGMENTS = 0x2000;
  private static final int IP_CHECKSUM = 10;
  private static final int SEQUENCE = 4;
  private static final int FLAGS = 13;
  private static final int TCP_CHECKSUM = 16;

  private SegmentView() {}

  /**
   * Whether a frame holds a whole TCP segment, with right checksums or not.
   *
   * @param length octets of the frame
   */
  public static boolean isSegment(long frame, int length) {
    if (!Ethernet.wellFormed(length) || Ethernet.type(frame) != Ethernet.TYPE_IPV4) {
      return false;
    }
    long packet = packet(frame);
    return Ipv4.wellFormed(packet, length - Ethernet.HEADER)
        && Ipv4.protocol(packet) == Ipv4.PROTOCOL_TCP
        && !Ipv4.fragment(packet)
        && Tcp.wellFormed(segment(frame), length(frame));
  }

  /** Address of the IP packet. */
  public static long packet(long frame) {
    return frame + Ethernet.HEADER;
  }

  /** Address of the TCP header. */
  public static long segment(long frame) {
    return packet(frame) + Ipv4.headerLength(packet(frame));
  }

  /** Octets of TCP header and payload. */
  public static int length(long frame) {
    return Ipv4.totalLength(packet(frame)) - Ipv4.headerLength(packet(frame));
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
    return Ipv4.intact(packet)
        && Tcp.intact(segment(frame), length(frame), Ipv4.source(packet), Ipv4.destination(packet));
  }

  /** Writes both checksums. */
  static void checksum(long frame) {
    long packet = packet(frame);
    ipChecksum(packet);
    long segment = segment(frame);
    int length = length(frame);
    Memory.putShort(segment + TCP_CHECKSUM, 0);
    Tcp.putChecksum(
        segment,
        Checksum.pseudoHeader(
                Ipv4.source(packet), Ipv4.destination(packet), Ipv4.PROTOCOL_TCP, length)
            + Checksum.sum(segment, length));
  }

  /** Writes the length of an IP packet; the caller writes the checksum afterwards. */
  static void totalLength(long packet, int octets) {
    Memory.putShort(packet + TOTAL_LENGTH, octets);
  }

  /**
   * Makes a fragment of an IP packet, and its checksum right.
   *
   * @param total octets of header and payload
   * @param offset where the payload belongs, in units of eight octets
   */
  static void fragment(long packet, int total, int identification, int offset, boolean last) {
    totalLength(packet, total);
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
    Memory.putByte(packet + TRAFFIC_CLASS, Memory.getByte(packet + TRAFFIC_CLASS) | Ipv4.CE);
    ipChecksum(packet);
  }

  private static void ipChecksum(long packet) {
    Memory.putShort(packet + IP_CHECKSUM, 0);
    int sum = Checksum.sum(packet, Ipv4.headerLength(packet));
    Memory.putShort(packet + IP_CHECKSUM, Checksum.field(sum));
  }
}
