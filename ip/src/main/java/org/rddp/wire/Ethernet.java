package org.rddp.wire;

/** The Ethernet II header. A MAC address is a {@code long} whose low 48 bits hold it. */
public final class Ethernet {
  private static final int DESTINATION = 0;
  private static final int SOURCE = 6;
  private static final int TYPE = 12;

  /** Octets of the header. */
  public static final int HEADER = 14;

  /** EtherType of IPv4. */
  public static final int TYPE_IPV4 = 0x0800;

  /** EtherType of ARP. */
  public static final int TYPE_ARP = 0x0806;

  /** EtherType of IPv6. */
  public static final int TYPE_IPV6 = 0x86dd;

  /** The address of every station. */
  public static final long BROADCAST = 0xffff_ffff_ffffL;

  private static final long IPV6_GROUPS = 0x3333_0000_0000L;

  private static final long GROUP_BIT = 1L << 40;

  private Ethernet() {}

  /** Whether a frame of that many octets has a whole header. */
  public static boolean wellFormed(int length) {
    return length >= HEADER;
  }

  /** The destination's MAC address. */
  public static long destination(long frame) {
    return address(frame + DESTINATION);
  }

  /** The source's MAC address. */
  public static long source(long frame) {
    return address(frame + SOURCE);
  }

  /** The EtherType. */
  public static int type(long frame) {
    return Memory.getShort(frame + TYPE);
  }

  /** Writes a header. */
  public static void write(long frame, long destination, long source, int type) {
    Memory.putLong(frame + DESTINATION, (destination << 16) | (source >>> 32));
    Memory.putInt(frame + SOURCE + 2, (int) source);
    Memory.putShort(frame + TYPE, type);
  }

  /** Whether the address is that of one station: neither multicast nor broadcast, and not zero. */
  public static boolean unicast(long macAddress) {
    return (macAddress & GROUP_BIT) == 0 && macAddress != 0;
  }

  /**
   * The group that an IPv6 multicast address is sent to (RFC 2464 section 7).
   *
   * @param low the lower half of the address
   */
  public static long ipv6Group(long low) {
    return IPV6_GROUPS | (low & 0xffff_ffffL);
  }

  /** The MAC address in the six octets at {@code at}. */
  static long address(long at) {
    return ((long) Memory.getShort(at) << 32) | (Memory.getInt(at + 2) & 0xffff_ffffL);
  }

  /** Writes a MAC address as six octets. */
  static void putAddress(long at, long macAddress) {
    Memory.putShort(at, (int) (macAddress >>> 32));
    Memory.putInt(at + 2, (int) macAddress);
  }

  /** An address as text, such as 02:00:00:00:00:01. */
  public static String text(long address) {
    StringBuilder text = new StringBuilder();
    for (int shift = 40; shift >= 0; shift -= 8) {
      text.append("%02x".formatted(address >> shift & 0xff)).append(shift == 0 ? "" : ":");
    }
    return text.toString();
  }
}
