package org.rddp.ip;

/**
 * The addresses that share leading bits. IPv4 is held as mapped addresses of IPv6 (RFC 4291 section
 * 2.5.5.2), so that one comparison serves both families.
 *
 * @param high upper half of the first address
 * @param low lower half of the first address
 * @param bits leading bits that all share, 0 to 128; of IPv4 96 more than its own
 */
public record AddressPrefix(long high, long low, int bits) {
  private static final int BITS = 128;
  private static final int IPV4_BITS = 32;
  private static final int MAPPED_BITS = BITS - IPV4_BITS;
  private static final long MAPPED = 0xffffL << IPV4_BITS;

  /** Checks the length, and that the other bits are 0. */
  public AddressPrefix {
    if (bits < 0 || bits > BITS) {
      throw new IllegalArgumentException("a prefix of " + bits + " bits");
    }
    if ((high & ~highMask(bits)) != 0 || (low & ~lowMask(bits)) != 0) {
      throw new IllegalArgumentException("bits behind the prefix are set");
    }
  }

  /** The prefix that one address has alone. */
  public static AddressPrefix of(HostAddress address) {
    return new AddressPrefix(high(address), low(address), BITS);
  }

  /**
   * Parses an address with a prefix length, such as {@code 10.0.0.0/24} or {@code 2001:db8::/64}; a
   * mere address stands for itself. Bits behind the prefix are ignored.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  public static AddressPrefix parse(String text) {
    int slash = text.indexOf('/');
    HostAddress address = HostAddress.parse(slash < 0 ? text : text.substring(0, slash));
    int most = address instanceof Ipv4Address ? IPV4_BITS : BITS;
    int own = slash < 0 ? most : Integer.parseInt(text, slash + 1, text.length(), 10);
    if (own < 0 || own > most) {
      throw new IllegalArgumentException(text);
    }
    int bits = own + BITS - most;
    return new AddressPrefix(high(address) & highMask(bits), low(address) & lowMask(bits), bits);
  }

  /** Whether it has a single address. */
  boolean isHost() {
    return bits == BITS;
  }

  /** The prefix that the address with these halves has alone. */
  static AddressPrefix host(long high, long low) {
    return new AddressPrefix(high, low, BITS);
  }

  /** The upper half of an address of either family. */
  static long high(HostAddress address) {
    return address instanceof Ipv6Address v6 ? v6.high() : 0;
  }

  /** The lower half of an address of either family. */
  static long low(HostAddress address) {
    return switch (address) {
      case Ipv4Address v4 -> mapped(v4.bits());
      case Ipv6Address v6 -> v6.low();
    };
  }

  /** The lower half of an IPv4 address's mapped one; the upper half is 0. */
  static long mapped(int ipv4) {
    return MAPPED | Integer.toUnsignedLong(ipv4);
  }

  /** Whether an address has this prefix. */
  public boolean contains(HostAddress address) {
    return contains(high(address), low(address));
  }

  /**
   * Whether an address, by its halves, has this prefix. A short prefix of IPv6, such as {@code
   * ::/0}, contains no address of IPv4.
   */
  boolean contains(long otherHigh, long otherLow) {
    return ((high ^ otherHigh) & highMask(bits)) == 0
        && ((low ^ otherLow) & lowMask(bits)) == 0
        && (bits >= MAPPED_BITS || !isMapped(otherHigh, otherLow));
  }

  private static boolean isMapped(long high, long low) {
    return high == 0 && low >>> IPV4_BITS == MAPPED >>> IPV4_BITS;
  }

  private static long highMask(int bits) {
    return bits == 0 ? 0 : -1L << (Long.SIZE - Math.min(bits, Long.SIZE));
  }

  private static long lowMask(int bits) {
    return bits <= Long.SIZE ? 0 : -1L << (BITS - bits);
  }

  /** The text that {@link #parse} reads. */
  @Override
  public String toString() {
    return bits >= MAPPED_BITS && isMapped(high, low)
        ? new Ipv4Address((int) low) + "/" + (bits - MAPPED_BITS)
        : new Ipv6Address(high, low) + "/" + bits;
  }
}
