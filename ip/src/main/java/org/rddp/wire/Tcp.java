package org.rddp.wire;

/** The TCP header (RFC 9293 section 3.1) and the writing of its options. */
public final class Tcp {
  private static final int SOURCE_PORT = 0;
  private static final int DESTINATION_PORT = 2;
  private static final int SEQUENCE = 4;
  private static final int ACKNOWLEDGMENT = 8;
  private static final int OFFSET_AND_FLAGS = 12;
  private static final int WINDOW = 14;
  private static final int CHECKSUM = 16;
  private static final int URGENT = 18;

  /** Octets of a header without options; the options begin there. */
  public static final int HEADER = 20;

  /** Octets of the longest header. */
  public static final int LONGEST_HEADER = 60;

  /** Flag: the sender has finished sending. */
  public static final int FIN = 0x01;

  /** Flag: sequence numbers begin here. */
  public static final int SYN = 0x02;

  /** Flag: the connection is reset. */
  public static final int RST = 0x04;

  /** Flag: deliver the octets to the user at once. */
  public static final int PSH = 0x08;

  /** Flag: the acknowledgment number is valid. */
  public static final int ACK = 0x10;

  /** Flag: the urgent pointer is valid. */
  public static final int URG = 0x20;

  /** Flag: the receiver echoes congestion (RFC 3168 section 6.1). */
  public static final int ECE = 0x40;

  /** Flag: the sender has reduced its congestion window (RFC 3168 section 6.1). */
  public static final int CWR = 0x80;

  /** Flag: accurate ECN; with {@link #CWR} and {@link #ECE} a counter (RFC 9768 section 3). */
  public static final int AE = 0x100;

  private static final int CONTROL_BITS = 0x1ff;

  private Tcp() {}

  /**
   * Whether the header lies within the segment. Its options are checked by {@link
   * TcpOptions#parse}.
   *
   * @param length octets of header and payload
   */
  public static boolean wellFormed(long segment, int length) {
    if (length < HEADER) {
      return false;
    }
    int header = headerLength(segment);
    return header >= HEADER && header <= length;
  }

  /** Whether the checksum is right. */
  public static boolean intact(long segment, int length, int source, int destination) {
    return Checksum.intact(
        Checksum.pseudoHeader(source, destination, Ipv4.PROTOCOL_TCP, length)
            + Checksum.sum(segment, length));
  }

  /**
   * Whether the checksum is right.
   *
   * @param pseudoHeader partial sum of the pseudo header with the length
   */
  public static boolean intact(long segment, int length, long pseudoHeader) {
    return Checksum.intact(pseudoHeader + Checksum.sum(segment, length));
  }

  /** The source port, 0 to 65535. */
  public static int sourcePort(long segment) {
    return Memory.getShort(segment + SOURCE_PORT);
  }

  /** The destination port, 0 to 65535. */
  public static int destinationPort(long segment) {
    return Memory.getShort(segment + DESTINATION_PORT);
  }

  /** The sequence number of the first octet, or of the SYN. */
  public static int sequence(long segment) {
    return Memory.getInt(segment + SEQUENCE);
  }

  /** The next sequence number that the sender of the segment expects. */
  public static int acknowledgment(long segment) {
    return Memory.getInt(segment + ACKNOWLEDGMENT);
  }

  /** Octets of the header with its options, by its data offset. */
  public static int headerLength(long segment) {
    return (Memory.getByte(segment + OFFSET_AND_FLAGS) >>> 4) << 2;
  }

  /** The eight control bits, and {@link #AE}. */
  public static int flags(long segment) {
    return Memory.getShort(segment + OFFSET_AND_FLAGS) & CONTROL_BITS;
  }

  /** The window field, not scaled. */
  public static int window(long segment) {
    return Memory.getShort(segment + WINDOW);
  }

  /** The checksum field. */
  public static int checksum(long segment) {
    return Memory.getShort(segment + CHECKSUM);
  }

  /**
   * Writes a header without its checksum: {@link #putChecksum} completes it.
   *
   * @param headerLength octets with options, a multiple of 4 from 20 to 60
   * @return the partial sum, not folded, of what was written
   */
  public static long write(
      long segment,
      int sourcePort,
      int destinationPort,
      int sequence,
      int acknowledgment,
      int headerLength,
      int flags,
      int window) {
    int ports = (sourcePort << 16) | destinationPort;
    int offsetFlagsWindow = (headerLength << 26) | (flags << 16) | window;
    Memory.putInt(segment + SOURCE_PORT, ports);
    Memory.putInt(segment + SEQUENCE, sequence);
    Memory.putInt(segment + ACKNOWLEDGMENT, acknowledgment);
    Memory.putInt(segment + OFFSET_AND_FLAGS, offsetFlagsWindow);
    Memory.putShort(segment + URGENT, 0);
    return Integer.toUnsignedLong(ports)
        + Integer.toUnsignedLong(sequence)
        + Integer.toUnsignedLong(acknowledgment)
        + Integer.toUnsignedLong(offsetFlagsWindow);
  }

  /**
   * Writes the partial checksum that a device completes.
   *
   * @param sum the sum of the pseudo header, not necessarily folded
   */
  public static void putPartialChecksum(long segment, long sum) {
    Memory.putShort(segment + CHECKSUM, Checksum.fold(sum));
  }

  /**
   * Writes the checksum.
   *
   * @param sum the sum of pseudo header, header, options and payload, not necessarily folded
   */
  public static void putChecksum(long segment, long sum) {
    Memory.putShort(segment + CHECKSUM, Checksum.field(sum));
  }
}
