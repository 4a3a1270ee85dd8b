package org.rddp.wire;

/**
 * The messages of Neighbour Discovery over Ethernet (RFC 4861 section 4): ICMPv6 messages with
 * options. MAC addresses are numbers as in {@link Ethernet}.
 */
public final class Ndp {
  private static final int FLAGS = 4;
  private static final int TARGET = 8;
  private static final int DESTINATION = 24;
  private static final int LIFETIME = 6;
  private static final int OPTION_LENGTH = 1;
  private static final int OPTION_VALUE = 2;
  private static final int OPTION_MTU = 4;
  private static final int UNIT = 8;

  /** Octets of a solicitation or advertisement without options. */
  public static final int NEIGHBOUR = 24;

  /** Octets of a redirect without options. */
  public static final int REDIRECT = 40;

  /** Octets of a router advertisement without options. */
  public static final int ROUTER = 16;

  /** Octets of a router solicitation without options. */
  public static final int ROUTER_SOLICITATION = 8;

  /** Octets of an option with a MAC address. */
  public static final int LINK_LAYER_OPTION = 8;

  /** Option: the sender's MAC address. */
  public static final int SOURCE_LINK_LAYER = 1;

  /** Option: the target's MAC address. */
  public static final int TARGET_LINK_LAYER = 2;

  /** Option: the MTU of the link. */
  public static final int MTU = 5;

  /** Flag of an advertisement: the sender is a router. */
  public static final int ROUTER_FLAG = 1 << 31;

  /** Flag of an advertisement: it answers a solicitation. */
  public static final int SOLICITED = 1 << 30;

  /** Flag of an advertisement: it replaces a MAC address already known. */
  public static final int OVERRIDE = 1 << 29;

  private Ndp() {}

  /**
   * Whether a message is whole: its fixed part, and every option with a length (sections 6.1.2,
   * 7.1).
   *
   * @param fixed octets before the options
   */
  public static boolean wellFormed(long message, int length, int fixed) {
    if (length < fixed) {
      return false;
    }
    int at = fixed;
    while (at < length) {
      int octets = length - at < UNIT ? 0 : optionLength(message + at);
      if (octets == 0 || octets > length - at) {
        return false;
      }
      at += octets;
    }
    return true;
  }

  private static int optionLength(long option) {
    return Memory.getByte(option + OPTION_LENGTH) * UNIT;
  }

  /** Address of the first option of a type; 0 if there is none. For a well-formed message. */
  private static long option(long message, int length, int fixed, int type) {
    for (int at = fixed; at < length; at += optionLength(message + at)) {
      if (Memory.getByte(message + at) == type) {
        return message + at;
      }
    }
    return 0;
  }

  /**
   * The MAC address in an option; -1 if there is none.
   *
   * @param fixed octets before the options
   * @param type {@link #SOURCE_LINK_LAYER} or {@link #TARGET_LINK_LAYER}
   */
  public static long linkLayer(long message, int length, int fixed, int type) {
    long option = option(message, length, fixed, type);
    return option == 0 ? -1 : Ethernet.address(option + OPTION_VALUE);
  }

  /** The link's MTU in a router advertisement; 0 if it has none. */
  public static int mtu(long message, int length) {
    long option = option(message, length, ROUTER, MTU);
    return option == 0 ? 0 : Memory.getInt(option + OPTION_MTU);
  }

  /** The seconds for which a router is a default router, 0 to 65535. */
  public static int lifetime(long message) {
    return Memory.getShort(message + LIFETIME);
  }

  /** The flags of a neighbour advertisement. */
  public static int flags(long message) {
    return Memory.getInt(message + FLAGS);
  }

  /** The upper half of the target's address. */
  public static long targetHigh(long message) {
    return Memory.getLong(message + TARGET);
  }

  /** The lower half of the target's address. */
  public static long targetLow(long message) {
    return Memory.getLong(message + TARGET + 8);
  }

  /** The upper half of the destination that a redirect is about. */
  public static long destinationHigh(long message) {
    return Memory.getLong(message + DESTINATION);
  }

  /** The lower half of the destination that a redirect is about. */
  public static long destinationLow(long message) {
    return Memory.getLong(message + DESTINATION + 8);
  }

  /**
   * Writes a solicitation or advertisement without its checksum.
   *
   * @param type of the ICMPv6 message
   * @param flags of an advertisement; 0 in a solicitation
   * @param option {@link #SOURCE_LINK_LAYER} or {@link #TARGET_LINK_LAYER}; 0 for none
   * @return its octets
   */
  public static int writeNeighbour(
      long message,
      int type,
      int flags,
      long targetHigh,
      long targetLow,
      int option,
      long macAddress) {
    Icmpv6.write(message, type, 0, flags);
    Memory.putLong(message + TARGET, targetHigh);
    Memory.putLong(message + TARGET + 8, targetLow);
    return option == 0 ? NEIGHBOUR : putLinkLayer(message, NEIGHBOUR, option, macAddress);
  }

  /** Writes a router solicitation without its checksum; returns its length in octets. */
  public static int writeRouterSolicitation(long message, long macAddress) {
    Icmpv6.write(message, Icmpv6.ROUTER_SOLICITATION, 0, 0);
    return putLinkLayer(message, ROUTER_SOLICITATION, SOURCE_LINK_LAYER, macAddress);
  }

  private static int putLinkLayer(long message, int at, int option, long macAddress) {
    Memory.putByte(message + at, option);
    Memory.putByte(message + at + OPTION_LENGTH, 1);
    Ethernet.putAddress(message + at + OPTION_VALUE, macAddress);
    return at + LINK_LAYER_OPTION;
  }
}
