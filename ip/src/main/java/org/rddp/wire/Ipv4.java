package org.rddp.wire;

/** The IPv4 header (RFC 791). */
public final class Ipv4 {
  private static final int VERSION_AND_LENGTH = 0;
  private static final int TRAFFIC_CLASS = 1;
  private static final int TOTAL_LENGTH = 2;
  private static final int IDENTIFICATION = 4;
  private static final int FRAGMENT = 6;
  private static final int TIME_TO_LIVE = 8;
  private static final int PROTOCOL = 9;
  private static final int CHECKSUM = 10;
  private static final int SOURCE = 12;
  private static final int DESTINATION = 16;

  /** Octets of a header without options. */
  public static final int HEADER = 20;

  /** Protocol number of ICMP. */
  public static final int PROTOCOL_ICMP = 1;

  /** Protocol number of TCP. */
  public static final int PROTOCOL_TCP = 6;

  /** ECN codepoint (RFC 3168 section 5): the transport does not understand ECN. */
  public static final int NOT_ECT = 0;

  /** ECN codepoint: an ECN-capable transport; rddp sends {@link #ECT_0} instead. */
  public static final int ECT_1 = 1;

  /** ECN codepoint: an ECN-capable transport. */
  public static final int ECT_0 = 2;

  /** ECN codepoint: a router on the path was congested. */
  public static final int CE = 3;

  /** Bits of the ECN codepoint, which lie behind the DSCP (RFC 3168 section 5). */
  public static final int DSCP_SHIFT = 2;

  private static final int DONT_FRAGMENT = 0x4000;
  private static final int MORE_FRAGMENTS = 0x2000;
  private static final int OFFSET = 0x1fff;
  private static final int TTL = 64;
  private static final int FIRST_WORD = 0x4500;

  private Ipv4() {}

  /**
   * Whether version and lengths are valid: header and packet lie within the available octets.
   *
   * @param available octets of the frame from {@code packet} on
   */
  public static boolean wellFormed(long packet, int available) {
    if (available < HEADER || Memory.getByte(packet + VERSION_AND_LENGTH) >>> 4 != 4) {
      return false;
    }
    int header = headerLength(packet);
    int total = totalLength(packet);
    return header >= HEADER && header <= total && total <= available;
  }

  /** Octets of the header with its options, by its length field. */
  public static int headerLength(long packet) {
    return (Memory.getByte(packet + VERSION_AND_LENGTH) & 0xf) << 2;
  }

  /** Octets of header and payload, by the length field; a frame may have padding behind them. */
  public static int totalLength(long packet) {
    return Memory.getShort(packet + TOTAL_LENGTH);
  }

  /** The ECN codepoint: the low two bits of the former type of service. */
  public static int ecn(long packet) {
    return Memory.getByte(packet + TRAFFIC_CLASS) & CE;
  }

  /** The Differentiated Services codepoint (RFC 2474). */
  public static int dscp(long packet) {
    return Memory.getByte(packet + TRAFFIC_CLASS) >>> DSCP_SHIFT;
  }

  /** Whether the header's checksum is right; for a well-formed packet. */
  public static boolean intact(long packet) {
    int length = headerLength(packet);
    return Checksum.intact(
        length == HEADER ? Checksum.sumOfTwenty(packet) : Checksum.sum(packet, length));
  }

  /** Whether this is a fragment. */
  public static boolean fragment(long packet) {
    return (Memory.getShort(packet + FRAGMENT) & (MORE_FRAGMENTS | OFFSET)) != 0;
  }

  /** Offset of a fragment's payload in the datagram's, in octets; 0 for a whole packet. */
  public static int fragmentOffset(long packet) {
    return (Memory.getShort(packet + FRAGMENT) & OFFSET) << 3;
  }

  /** Whether other fragments follow this one. */
  public static boolean moreFragments(long packet) {
    return (Memory.getShort(packet + FRAGMENT) & MORE_FRAGMENTS) != 0;
  }

  /** The number that the fragments of one datagram share. */
  public static int identification(long packet) {
    return Memory.getShort(packet + IDENTIFICATION);
  }

  /** Whether routers must not fragment it. */
  public static boolean dontFragment(long packet) {
    return (Memory.getShort(packet + FRAGMENT) & DONT_FRAGMENT) != 0;
  }

  /** The protocol of the payload. */
  public static int protocol(long packet) {
    return Memory.getByte(packet + PROTOCOL);
  }

  /** The source's address. */
  public static int source(long packet) {
    return Memory.getInt(packet + SOURCE);
  }

  /** The destination's address. */
  public static int destination(long packet) {
    return Memory.getInt(packet + DESTINATION);
  }

  /**
   * Writes a header of a packet whose transport does not understand ECN.
   *
   * @param totalLength octets of header and payload, 20 to 65535
   */
  public static void write(
      long packet, int totalLength, int protocol, int source, int destination) {
    write(packet, totalLength, protocol, source, destination, NOT_ECT);
  }

  /**
   * Writes a header without options, with a checksum, DF and 64 hops. With DF the identification
   * may be 0 (RFC 6864 section 4.1).
   *
   * @param totalLength octets of header and payload, 20 to 65535
   * @param trafficClass DSCP and ECN codepoint, 0 to 255
   */
  public static void write(
      long packet, int totalLength, int protocol, int source, int destination, int trafficClass) {
    int firstWord = FIRST_WORD | trafficClass;
    Memory.putShort(packet + VERSION_AND_LENGTH, firstWord);
    Memory.putShort(packet + TOTAL_LENGTH, totalLength);
    Memory.putInt(packet + IDENTIFICATION, DONT_FRAGMENT); // MPAA-5.1-01, D03-13.2-03
    Memory.putShort(packet + TIME_TO_LIVE, (TTL << 8) | protocol);
    Memory.putInt(packet + SOURCE, source);
    Memory.putInt(packet + DESTINATION, destination);
    long sum =
        (source & 0xffff_ffffL)
            + (destination & 0xffff_ffffL)
            + (firstWord + DONT_FRAGMENT + (TTL << 8) + protocol + totalLength);
    Memory.putShort(packet + CHECKSUM, Checksum.field(sum));
  }

  /** Clears the checksum of a header, which the device writes. */
  public static void clearChecksum(long packet) {
    Memory.putShort(packet + CHECKSUM, 0);
  }

  /**
   * Changes a packet just written into a fragment of a larger one, without DF.
   *
   * @param offset octets of the larger packet's payload before this one's, a multiple of 8
   * @param more whether others follow
   */
  public static void writeFragment(long packet, int identification, int offset, boolean more) {
    int before = Memory.getShort(packet + FRAGMENT);
    int after = (offset >> 3) | (more ? MORE_FRAGMENTS : 0);
    int field = Checksum.replace(Memory.getShort(packet + CHECKSUM), before, after);
    int old = identification(packet);
    Memory.putShort(packet + FRAGMENT, after);
    Memory.putShort(packet + IDENTIFICATION, identification);
    Memory.putShort(packet + CHECKSUM, Checksum.replace(field, old, identification));
  }
}
