package org.rddp.daemon.configuration;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats IPv4 addresses in dotted decimal notation. */
public final class Ipv4Text {
  private static final Pattern ADDRESS =
      Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");

  private Ipv4Text() {}

  /**
   * The 32-bit address.
   *
   * @throws IllegalArgumentException if the text is not an address
   */
  public static int parse(String text) {
    Matcher matcher = ADDRESS.matcher(text.strip());
    int address = 0;
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not an IPv4 address: \"" + text + "\"");
    }
    for (int i = 1; i <= 4; i++) {
      int octet = Integer.parseInt(matcher.group(i));
      if (octet > 255) {
        throw new IllegalArgumentException("not an IPv4 address: \"" + text + "\"");
      }
      address = address << 8 | octet;
    }
    return address;
  }

  /** Formats an address in dotted decimal notation. */
  public static String format(int address) {
    return (address >>> 24)
        + "."
        + (address >>> 16 & 0xff)
        + "."
        + (address >>> 8 & 0xff)
        + "."
        + (address & 0xff);
  }
}
