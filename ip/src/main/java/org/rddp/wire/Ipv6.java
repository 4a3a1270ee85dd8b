package org.rddp.wire;

/**
 * The IPv6 header (RFC 8200 section 3). An address is two 64-bit numbers: its upper and its lower
 * half.
 */
public final class Ipv6 {
  private static final int FIRST_WORD = 0;
  private static final int PAYLOAD_LENGTH = 4;
  private static final int NEXT_HEADER = 6;
  private static final int HOP_LIMIT = 7;
  private static final int SOURCE = 8;
  private static final int DESTINATION = 24;
  private static final int HALF = 8;

  /** Octets of the header. */
  public static final int HEADER = 40;

  /** The MTU that every link must carry, in octets (section 5). */
  public static final int LEAST_MTU = 1280;

  /** The hop limit of our packets. */
  public static final int HOPS = 64;

  /** The hop limit of a packet that no router has forwarded (RFC 4861 section 3.1). */
  public static final int ON_LINK_HOPS = 255;

  /** Next header: options for every router (section 4.3). */
  public static final int HOP_BY_HOP = 0;

  /** Next header: routing (section 4.4). */
  public static final int ROUTING = 43;

  /** Next header: a fragment (section 4.5). */
  public static final int FRAGMENT = 44;

  /** Next header: ICMPv6 (RFC 4443). */
  public static final int ICMPV6 = 58;

  /** Next header: nothing follows (section 4.7). */
  public static final int NOTHING = 59;

  /** Next header: options for the destination (section 4.6). */
  public static final int DESTINATION_OPTIONS = 60;

  private static final int VERSION = 6;
  private static final int FLOW_LABEL = 0xfffff;
  private static final int TRAFFIC_CLASS_SHIFT = 20;
  private static final int VERSION_SHIFT = 28;

  private Ipv6() {}

  /**
   * Whether the version is right, and header and payload lie within the available octets.
   *
   * @param available octets of the frame from {@code packet} on
   */
  public static boolean wellFormed(long packet, int available) {
    return available >= HEADER
        && Memory.getByte(packet + FIRST_WORD) >>> 4 == VERSION
        && HEADER + payloadLength(packet) <= available;
  }

  /** Octets behind the header, extension headers included. */
  public static int payloadLength(long packet) {
    return Memory.getShort(packet + PAYLOAD_LENGTH);
  }

  /** The protocol or extension header that follows. */
  public static int nextHeader(long packet) {
    return Memory.getByte(packet + NEXT_HEADER);
  }

  /** The hops that were left when the packet came. */
  public static int hopLimit(long packet) {
    return Memory.getByte(packet + HOP_LIMIT);
  }

  /** The ECN codepoint: the low two bits of the traffic class. */
  public static int ecn(long packet) {
    return Memory.getInt(packet + FIRST_WORD) >>> TRAFFIC_CLASS_SHIFT & Ipv4.CE;
  }

  /** The Differentiated Services codepoint (RFC 2474). */
  public static int dscp(long packet) {
    return Memory.getInt(packet + FIRST_WORD) >>> (TRAFFIC_CLASS_SHIFT + Ipv4.DSCP_SHIFT) & 0x3f;
  }

  /** The flow label (RFC 6437), 20 bits. */
  public static int flowLabel(long packet) {
    return Memory.getInt(packet + FIRST_WORD) & FLOW_LABEL;
  }

  /** The upper half of the source's address. */
  public static long sourceHigh(long packet) {
    return Memory.getLong(packet + SOURCE);
  }

  /** The lower half of the source's address. */
  public static long sourceLow(long packet) {
    return Memory.getLong(packet + SOURCE + HALF);
  }

  /** The upper half of the destination's address. */
  public static long destinationHigh(long packet) {
    return Memory.getLong(packet + DESTINATION);
  }

  /** The lower half of the destination's address. */
  public static long destinationLow(long packet) {
    return Memory.getLong(packet + DESTINATION + HALF);
  }

  /**
   * Writes a header.
   *
   * @param payloadLength octets behind the header, 0 to 65535
   * @param nextHeader the protocol or extension header that follows
   * @param hops the hop limit
   * @param trafficClass DSCP and ECN codepoint, 0 to 255
   * @param flowLabel 20 bits
   */
  public static void write(
      long packet,
      int payloadLength,
      int nextHeader,
      int hops,
      int trafficClass,
      int flowLabel,
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow) {
    Memory.putInt(
        packet + FIRST_WORD,
        (VERSION << VERSION_SHIFT)
            | (trafficClass << TRAFFIC_CLASS_SHIFT)
            | (flowLabel & FLOW_LABEL));
    Memory.putInt(packet + PAYLOAD_LENGTH, (payloadLength << 16) | (nextHeader << 8) | hops);
    Memory.putLong(packet + SOURCE, sourceHigh);
    Memory.putLong(packet + SOURCE + HALF, sourceLow);
    Memory.putLong(packet + DESTINATION, destinationHigh);
    Memory.putLong(packet + DESTINATION + HALF, destinationLow);
  }
}
