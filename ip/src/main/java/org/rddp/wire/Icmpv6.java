package org.rddp.wire;

/** ICMP for IPv6: echo, errors, and the types of Neighbour Discovery and MLD (RFC 4443). */
public final class Icmpv6 {
  private static final int TYPE = 0;
  private static final int CODE = 1;
  private static final int CHECKSUM = 2;
  private static final int PARAMETER = 4;
  private static final int QUOTED = 8;

  /** Octets of the header with the parameter of an error or echo. */
  public static final int HEADER = 8;

  /** Type: a packet could not be delivered; the code is the reason. */
  public static final int UNREACHABLE = 1;

  /** Type: a packet was too large for a link; the parameter is its MTU. */
  public static final int PACKET_TOO_BIG = 2;

  /** Type: the hop limit or the time for reassembly was exceeded. */
  public static final int TIME_EXCEEDED = 3;

  /** Type: a field was not understood; the parameter is its offset. */
  public static final int PARAMETER_PROBLEM = 4;

  /** Type: requests an answer. */
  public static final int ECHO = 128;

  /** Type: the answer to an echo. */
  public static final int ECHO_REPLY = 129;

  /** Type: asks for multicast listeners (RFC 3810). */
  public static final int LISTENER_QUERY = 130;

  /** Type: asks for routers (RFC 4861). */
  public static final int ROUTER_SOLICITATION = 133;

  /** Type: a router and its link (RFC 4861). */
  public static final int ROUTER_ADVERTISEMENT = 134;

  /** Type: asks for a neighbour's MAC address (RFC 4861). */
  public static final int NEIGHBOUR_SOLICITATION = 135;

  /** Type: announces a MAC address (RFC 4861). */
  public static final int NEIGHBOUR_ADVERTISEMENT = 136;

  /** Type: there is a better next hop (RFC 4861). */
  public static final int REDIRECT = 137;

  /** Type: multicast addresses listened to (RFC 3810). */
  public static final int LISTENER_REPORT = 143;

  /** Code of {@link #UNREACHABLE}: the port has no listener. */
  public static final int PORT_UNREACHABLE = 4;

  /** Code of {@link #TIME_EXCEEDED}: fragments were missing for too long. */
  public static final int REASSEMBLY_TIME = 1;

  /** Code of {@link #PARAMETER_PROBLEM}: a field with a wrong value. */
  public static final int WRONG_FIELD = 0;

  /** Code of {@link #PARAMETER_PROBLEM}: a protocol or extension header that is not known. */
  public static final int UNKNOWN_NEXT_HEADER = 1;

  /** Code of {@link #PARAMETER_PROBLEM}: an option that is not known. */
  public static final int UNKNOWN_OPTION = 2;

  private static final int FIRST_INFORMATION = 128;

  private Icmpv6() {}

  /**
   * Whether a message in a packet has a whole header and a right checksum.
   *
   * @param pseudoHeader partial sum of the pseudo header with the length: {@link #pseudoHeader}
   */
  public static boolean wellFormed(long message, int length, long pseudoHeader) {
    return length >= HEADER && Checksum.intact(pseudoHeader + Checksum.sum(message, length));
  }

  /** The partial sum of the pseudo header of a message of so many octets in a packet. */
  public static long pseudoHeader(long packet, int length) {
    return Checksum.pseudoHeader(
        Ipv6.sourceHigh(packet),
        Ipv6.sourceLow(packet),
        Ipv6.destinationHigh(packet),
        Ipv6.destinationLow(packet),
        Ipv6.ICMPV6,
        length);
  }

  /** The type. */
  public static int type(long message) {
    return Memory.getByte(message + TYPE);
  }

  /** The code, whose meaning depends on the type. */
  public static int code(long message) {
    return Memory.getByte(message + CODE);
  }

  /** Whether the message is an error (section 2.1). */
  public static boolean error(long message) {
    return type(message) < FIRST_INFORMATION;
  }

  /** The MTU of a {@link #PACKET_TOO_BIG}, or the pointer of a {@link #PARAMETER_PROBLEM}. */
  public static int parameter(long message) {
    return Memory.getInt(message + PARAMETER);
  }

  /** Address of the start of the packet that an error message is about. */
  public static long quoted(long message) {
    return message + QUOTED;
  }

  /** Writes type, code and parameter; {@link #complete} follows when the rest is written. */
  public static void write(long message, int type, int code, int parameter) {
    Memory.putInt(message + TYPE, type << 24 | code << 16);
    Memory.putInt(message + PARAMETER, parameter);
  }

  /**
   * Writes the checksum of a message that is complete except for it.
   *
   * @param pseudoHeader partial sum of the pseudo header with the length
   */
  public static void complete(long message, int length, long pseudoHeader) {
    Memory.putShort(message + CHECKSUM, 0);
    Memory.putShort(
        message + CHECKSUM, Checksum.field(pseudoHeader + Checksum.sum(message, length)));
  }

  /** Changes an echo into its reply, in place; both addresses may be exchanged. */
  public static void reply(long echo) {
    int before = Memory.getShort(echo + TYPE);
    int after = (ECHO_REPLY << 8) | (before & 0xff);
    int field = Checksum.replace(Memory.getShort(echo + CHECKSUM), before, after);
    Memory.putShort(echo + TYPE, after);
    Memory.putShort(echo + CHECKSUM, field);
  }
}
