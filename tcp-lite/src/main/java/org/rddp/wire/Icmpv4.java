package org.rddp.wire;

/** ICMP for IPv4: echo and destination unreachable (RFC 792, RFC 1191). */
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

  /** Type: a packet could not be delivered; the code says why. */
  public static final int UNREACHABLE = 3;

  /** Type: please answer. */
  public static final int ECHO = 8;

  /** Code of {@link #UNREACHABLE}: the host does not speak that protocol. */
  public static final int PROTOCOL_UNREACHABLE = 2;

  /** Code of {@link #UNREACHABLE}: nobody listens on that port. */
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

  /** The next hop's MTU in octets that {@link #FRAGMENTATION_NEEDED} reports; 0 if it does not. */
  public static int nextHopMtu(long message) {
    return Memory.getShort(message + NEXT_HOP_MTU);
  }

  /** Address of the start of the packet that an error message is about. */
  public static long quoted(long message) {
    return message + QUOTED;
  }

  /** Turns an echo into its reply, in place. */
  public static void reply(long echo) {
    int before = Memory.getShort(echo + TYPE);
    int after = (ECHO_REPLY << 8) | (before & 0xff);
    int field = Checksum.replace(Memory.getShort(echo + CHECKSUM), before, after);
    Memory.putShort(echo + TYPE, after);
    Memory.putShort(echo + CHECKSUM, field);
  }
}
