package org.rddp.ip;

/** The IP address of one host, of either family. */
public sealed interface HostAddress permits Ipv4Address, Ipv6Address {
  /** Whether it can be the address of one host on a link. */
  boolean unicast();

  /**
   * Parses the text of either family.
   *
   * @throws IllegalArgumentException when the text is no address
   */
  static HostAddress parse(String text) {
    return text.indexOf(':') < 0 ? Ipv4Address.parse(text) : Ipv6Address.parse(text);
  }
}
