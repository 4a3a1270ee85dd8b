package org.rddp.ip;

/**
 * An IPv4 address.
 *
 * @param bits its 32 bits, the first octet in the highest
 */
public record Ipv4Address(int bits) implements HostAddress {
  /** Loopback: never on a link (RFC 1122 section 3.2.1.3). */
  private static final int LOOPBACK = 127;

  /** From here on: multicast, reserved, broadcast. */
  private static final int FIRST_CLASS_D = 224;

  /**
   * Parses dotted decimal.
   *
   * @throws IllegalArgumentException when the text is not four numbers from 0 to 255
   */
  public static Ipv4Address parse(String text) {
    int bits = 0;
    int octet = -1;
    int octets = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : '.';
      if (c == '.') {
        if (octet < 0 || octets == 4) {
          throw malformed(text);
        }
        bits = (bits << 8) | octet;
        octets++;
        octet = -1;
      } else if (c >= '0' && c <= '9') {
        octet = Math.max(octet, 0) * 10 + (c - '0');
        if (octet > 255) {
          throw malformed(text);
        }
      } else {
        throw malformed(text);
      }
    }
    if (octets != 4) {
      throw malformed(text);
    }
    return new Ipv4Address(bits);
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException("not an IPv4 address: " + text);
  }

  /**
   * Whether it can be the address of one host on a link: not multicast, broadcast, this network
   * (0.x) or loopback (127.x).
   */
  @Override
  public boolean unicast() {
    return unicast(bits);
  }

  static boolean unicast(int bits) {
    int first = bits >>> 24;
    return first != 0 && first != LOOPBACK && first < FIRST_CLASS_D;
  }

  @Override
  public String withPort(int port) {
    return this + ":" + port;
  }

  @Override
  public HostAddress ofOneHost() {
    return this;
  }

  /** Dotted decimal. */
  @Override
  public String toString() {
    return (bits >>> 24)
        + "."
        + (bits >>> 16 & 0xff)
        + "."
        + (bits >>> 8 & 0xff)
        + "."
        + (bits & 0xff);
  }
}
