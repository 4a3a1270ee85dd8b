package org.rddp.client.types;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes IP addresses for people: IPv6 addresses in the form of RFC 5952. */
public final class AddressText {
  /** Words of the JDK's form of an IPv6 address, two or more, that are 0. */
  private static final Pattern ZEROS = Pattern.compile("(?<![0-9a-f])0(:0)+(?![0-9a-f])");

  private AddressText() {}

  /** An address, such as {@code 10.0.0.1} or {@code 2001:db8::1}. */
  public static String of(InetAddress address) {
    String text = address.getHostAddress();
    if (!(address instanceof Inet6Address)) {
      return text;
    }
    int start = 0;
    int end = 0;
    Matcher zeros = ZEROS.matcher(text);
    while (zeros.find()) {
      if (zeros.end() - zeros.start() > end - start) {
        start = zeros.start();
        end = zeros.end();
      }
    }
    if (end == 0) {
      return text;
    }
    String before = text.substring(0, Math.max(start - 1, 0));
    String after = text.substring(end);
    return before + (after.startsWith(":") ? ":" : "::") + after;
  }

  /** An address and its port, such as {@code 10.0.0.1:7471} or {@code [2001:db8::1]:7471}. */
  public static String of(InetSocketAddress address) {
    String text = of(address.getAddress());
    return (address.getAddress() instanceof Inet6Address ? "[" + text + "]" : text)
        + ":"
        + address.getPort();
  }
}
