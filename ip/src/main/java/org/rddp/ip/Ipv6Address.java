package org.rddp.ip;

/**
 * An IPv6 address, without a scope.
 *
 * @param high its upper 64 bits: for one host, the prefix of its network
 * @param low its lower 64 bits
 */
public record Ipv6Address(long high, long low) implements HostAddress {
  /** The group of all hosts of the link. */
  static final Ipv6Address ALL_NODES = new Ipv6Address(0xff02L << 48, 1);

  /** The group of all routers of the link. */
  static final Ipv6Address ALL_ROUTERS = new Ipv6Address(0xff02L << 48, 2);

  /** The group of all that listen to reports of MLDv2. */
  static final Ipv6Address MLD_ROUTERS = new Ipv6Address(0xff02L << 48, 0x16);

  /** No address: {@code ::}. */
  public static final Ipv6Address UNSPECIFIED = new Ipv6Address(0, 0);

  private static final int WORDS = 8;
  private static final int MOST_DIGITS = 4;
  private static final int LINK_LOCAL = 0xfe80 >>> 6;
  private static final int MULTICAST = 0xff;
  private static final long SOLICITED_NODE = 0x1_ff00_0000L;
  private static final long MAPPED_IPV4 = 0xffff;

  /**
   * Parses the text forms of RFC 4291 section 2.2, without a scope.
   *
   * @throws IllegalArgumentException when the text is no IPv6 address
   */
  public static Ipv6Address parse(String text) {
    int gap = text.indexOf("::");
    int[] words = new int[WORDS];
    int before = words(text, gap < 0 ? text : text.substring(0, gap), words);
    if (gap >= 0) {
      int[] last = new int[WORDS];
      int after = words(text, text.substring(gap + 2), last);
      // A gap replaces at least one word.
      require(text, before + after < WORDS);
      System.arraycopy(last, 0, words, WORDS - after, after);
    } else {
      require(text, before == WORDS);
    }
    return new Ipv6Address(half(words, 0), half(words, WORDS / 2));
  }

  /** Parses words separated by colons; returns how many, 0 for an empty part. */
  private static int words(String text, String part, int[] words) {
    if (part.isEmpty()) {
      return 0;
    }
    int count = 0;
    String[] pieces = part.split(":", -1);
    for (int i = 0; i < pieces.length; i++) {
      String piece = pieces[i];
      boolean dotted = i == pieces.length - 1 && piece.indexOf('.') >= 0;
      require(text, count + (dotted ? 2 : 1) <= WORDS);
      if (dotted) {
        int bits = Ipv4Address.parse(piece).bits();
        words[count++] = bits >>> 16;
        words[count++] = bits & 0xffff;
      } else {
        words[count++] = hexadecimal(text, piece);
      }
    }
    return count;
  }

  private static int hexadecimal(String text, String piece) {
    require(text, !piece.isEmpty() && piece.length() <= MOST_DIGITS);
    int word = 0;
    for (int i = 0; i < piece.length(); i++) {
      char c = piece.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      require(text, digit >= 0);
      word = (word << 4) | digit;
    }
    return word;
  }

  private static void require(String text, boolean sound) {
    if (!sound) {
      throw new IllegalArgumentException("not an IPv6 address: " + text);
    }
  }

  private static long half(int[] words, int from) {
    long half = 0;
    for (int i = from; i < from + WORDS / 2; i++) {
      half = (half << 16) | words[i];
    }
    return half;
  }

  /** Whether this can be the address of one host: not a group, loopback, :: or mapped IPv4. */
  @Override
  public boolean unicast() {
    return unicast(high, low);
  }

  static boolean unicast(long high, long low) {
    // The lowest addresses: ::, ::1, and those that map or embed IPv4 (RFC 4291 section 2.5.5).
    return !multicast(high) && (high != 0 || low >>> 48 != 0);
  }

  /** Whether this is the address of a group of hosts. */
  public boolean multicast() {
    return multicast(high);
  }

  static boolean multicast(long high) {
    return high >>> 56 == MULTICAST;
  }

  /** Whether this is valid on one link only (RFC 4291 section 2.5.6). */
  public boolean linkLocal() {
    return linkLocal(high);
  }

  static boolean linkLocal(long high) {
    return high >>> 54 == LINK_LOCAL;
  }

  @Override
  public String withPort(int port) {
    return "[" + this + "]:" + port;
  }

  @Override
  public HostAddress ofOneHost() {
    return new Ipv6Address(high, 0);
  }

  /** The group that solicitations for this address are sent to (RFC 4291 section 2.7.1). */
  Ipv6Address solicitedNode() {
    return new Ipv6Address(ALL_NODES.high, SOLICITED_NODE | (low & 0xff_ffff));
  }

  /** Whether both share so many leading bits. */
  public boolean sharesPrefix(long otherHigh, long otherLow, int bits) {
    long mask = bits == 0 ? 0 : -1L << (64 - Math.min(bits, 64));
    long lowMask = bits <= 64 ? 0 : -1L << (128 - bits);
    return ((high ^ otherHigh) & mask) == 0 && ((low ^ otherLow) & lowMask) == 0;
  }

  /** The text of RFC 5952, such as 2001:db8::1. */
  @Override
  public String toString() {
    if (high == 0 && low >>> 32 == MAPPED_IPV4) {
      return "::ffff:" + new Ipv4Address((int) low);
    }
    int longest = -1;
    int most = 1;
    for (int i = 0; i < WORDS; i++) {
      int zeros = zeros(i);
      if (zeros > most) {
        most = zeros;
        longest = i;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < WORDS; i++) {
      if (i == longest) {
        text.append("::");
        i += most - 1;
      } else {
        boolean first = text.isEmpty() || text.charAt(text.length() - 1) == ':';
        text.append(first ? "" : ":").append(Integer.toHexString(word(i)));
      }
    }
    return text.toString();
  }

  /** How many words from one on are zero. */
  private int zeros(int from) {
    int count = 0;
    while (from + count < WORDS && word(from + count) == 0) {
      count++;
    }
    return count;
  }

  private int word(int index) {
    long half = index < WORDS / 2 ? high : low;
    return (int) (half >>> (48 - 16 * (index % (WORDS / 2)))) & 0xffff;
  }
}
