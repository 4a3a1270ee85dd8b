package org.rddp.wire;

/** The fragment header of IPv6 (RFC 8200 section 4.5). */
public final class Ipv6Fragment {
  private static final int NEXT_HEADER = 0;
  private static final int RESERVED = 1;
  private static final int OFFSET_AND_MORE = 2;
  private static final int IDENTIFICATION = 4;
  private static final int MORE = 1;
  private static final int OFFSET = 0xfff8;

  /** Octets of the header. */
  public static final int HEADER = 8;

  private Ipv6Fragment() {}

  /** What follows the header in the first fragment. */
  public static int nextHeader(long fragment) {
    return Memory.getByte(fragment + NEXT_HEADER);
  }

  /** Octets of the fragmentable part before this fragment's. */
  public static int offset(long fragment) {
    return Memory.getShort(fragment + OFFSET_AND_MORE) & OFFSET;
  }

  /** Whether others follow. */
  public static boolean more(long fragment) {
    return (Memory.getShort(fragment + OFFSET_AND_MORE) & MORE) != 0;
  }

  /** Whether the packet is whole in spite of the header (RFC 6946). */
  public static boolean atomic(long fragment) {
    return (Memory.getShort(fragment + OFFSET_AND_MORE) & (OFFSET | MORE)) == 0;
  }

  /** The number that the fragments of one packet share. */
  public static int identification(long fragment) {
    return Memory.getInt(fragment + IDENTIFICATION);
  }

  /**
   * Writes a header.
   *
   * @param offset octets, a multiple of 8
   */
  public static void write(
      long fragment, int nextHeader, int offset, boolean more, int identification) {
    Memory.putByte(fragment + NEXT_HEADER, nextHeader);
    Memory.putByte(fragment + RESERVED, 0);
    Memory.putShort(fragment + OFFSET_AND_MORE, offset | (more ? MORE : 0));
    Memory.putInt(fragment + IDENTIFICATION, identification);
  }
}
