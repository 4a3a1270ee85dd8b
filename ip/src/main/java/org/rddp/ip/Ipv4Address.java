package org.rddp.ip;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An IPv4 address.
 *
 * @param bits its 32 bits, the first octet in the highest
 */
public record Ipv4Address(int bits) implements HostAddress {
  /** First octet of loopback addresses, never on a link (RFC 1122 section 3.2.1.3). */
  private static final int LOOPBACK = 127;

  /** First octet from which on addresses are multicast, reserved or broadcast. */
  private static final int FIRST_CLASS_D = 224;

  private static final Pattern DOTTED_DECIMAL =
      Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");

  /**
   * Parses dotted decimal.
   *
   * @throws IllegalArgumentException when the text is not four numbers from 0 to 255, of three
   *     digits at most
   */
  public static Ipv4Address parse(String text) {
    Matcher matcher = DOTTED_DECIMAL.matcher(text);
    if (!matcher.matches()) {
      throw malformed(text);
    }
    int bits = 0;
    for (int i = 1; i <= matcher.groupCount(); i++) {
      int octet = Integer.parseInt(matcher.group(i));
      if (octet > 255) {
        throw malformed(text);
      }
      bits = bits << 8 | octet;
    }
    return new Ipv4Address(bits);
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException("not an IPv4 address: " + text);
  }

  /**
   * Whether this can be the address of one host on a link: not multicast, broadcast, this network
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
