package org.rddp.wire;

/** ICMP for IPv4: echo and errors (RFC 792, RFC 1191). */
public final class Icmpv4 {
  private static final int TYPE = 0;
  private static final int CODE = 1;
  private static final int CHECKSUM = 2;
  private static final int NEXT_HOP_MTU = 6;
  private static final int QUOTED = 8;

  /** Octets of the header. */
  public static final int HEADER = 8;

  /** Type: the answer to an echo. */
  public static final int ECHO_REPLY = 0;

  /** Type: a packet could not be delivered; the code is the reason. */
  public static final int UNREACHABLE = 3;

  /** Type: send less; obsolete (RFC 6633). */
  public static final int SOURCE_QUENCH = 4;

  /** Type: there is a better router. */
  public static final int REDIRECT = 5;

  /** Type: requests an answer. */
  public static final int ECHO = 8;

  /** Type: the time to live or the time for reassembly was exceeded. */
  public static final int TIME_EXCEEDED = 11;

  /** Type: a packet's header was not understood. */
  public static final int PARAMETER_PROBLEM = 12;

  /** Code of {@link #TIME_EXCEEDED}: fragments were missing for too long. */
  public static final int REASSEMBLY_TIME = 1;

  /** Code of {@link #UNREACHABLE}: the host does not speak that protocol. */
  public static final int PROTOCOL_UNREACHABLE = 2;

  /** Code of {@link #UNREACHABLE}: the port has no listener. */
  public static final int PORT_UNREACHABLE = 3;

  /** Code of {@link #UNREACHABLE}: the packet was too large for a link and not to be fragmented. */
  public static final int FRAGMENTATION_NEEDED = 4;

  private Icmpv4() {}

  /** Whether the message has a whole header and a right checksum. */
  public static boolean wellFormed(long message, int length) {
    return length >= HEADER && Checksum.intact(Checksum.sum(message, length));
  }

  /** The type. */
  public static int type(long message) {
    return Memory.getByte(message + TYPE);
  }

  /** The code, whose meaning depends on the type. */
  public static int code(long message) {
    return Memory.getByte(message + CODE);
  }

  /** Whether the message is an error, which is never answered with another. */
  public static boolean error(long message) {
    return switch (type(message)) {
      case UNREACHABLE, SOURCE_QUENCH, REDIRECT, TIME_EXCEEDED, PARAMETER_PROBLEM -> true;
      default -> false;
    };
  }

  /**
   * Writes the header of an error, and its checksum, in front of the packet that it quotes.
   *
   * @param nextHopMtu in octets for {@link #FRAGMENTATION_NEEDED}, else 0
   * @param length octets of the whole message
   */
  public static void write(long message, int type, int code, int nextHopMtu, int length) {
    Memory.putInt(message + TYPE, (type << 24) | (code << 16));
    Memory.putInt(message + CHECKSUM + 2, nextHopMtu);
    Memory.putShort(message + CHECKSUM, Checksum.field(Checksum.sum(message, length)));
  }

  /**
   * The next hop's MTU in octets that {@link #FRAGMENTATION_NEEDED} reports; 0 if it reports none.
   */
  public static int nextHopMtu(long message) {
    return Memory.getShort(message + NEXT_HOP_MTU);
  }

  /** Address of the start of the packet that an error message is about. */
  public static long quoted(long message) {
    return message + QUOTED;
  }

  /** Changes an echo into its reply, in place. */
  public static void reply(long echo) {
    int before = Memory.getShort(echo + TYPE);
    int after = (ECHO_REPLY << 8) | (before & 0xff);
    int field = Checksum.replace(Memory.getShort(echo + CHECKSUM), before, after);
    Memory.putShort(echo + TYPE, after);
    Memory.putShort(echo + CHECKSUM, field);
  }
}
