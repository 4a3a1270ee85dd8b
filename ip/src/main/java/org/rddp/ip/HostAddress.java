package org.rddp.ip;

/** The IP address of one host, of either family. */
public sealed interface HostAddress permits Ipv4Address, Ipv6Address {
  /** Whether this can be the address of one host on a link. */
  boolean unicast();

  /** The address with a port: {@code 10.0.0.1:7471} or {@code [2001:db8::1]:7471} (RFC 5952). */
  String withPort(int port);

  /**
   * The network in which one host may take any number of addresses: for IPv4 the address itself,
   * for IPv6 its first 64 bits.
   */
  HostAddress ofOneHost();

  /**
   * Parses the text of either family.
   *
   * @throws IllegalArgumentException when the text is no address
   */
  static HostAddress parse(String text) {
    return text.indexOf(':') < 0 ? Ipv4Address.parse(text) : Ipv6Address.parse(text);
  }
}
