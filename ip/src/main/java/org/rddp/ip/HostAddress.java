package org.rddp.ip;

import org.rddp.snapshot.Snapshot;

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

  /**
   * Transfers an address, as text.
   *
   * @param address to be written
   */
  static HostAddress transfer(Snapshot snapshot, HostAddress address) {
    String text = snapshot.text("address", address == null ? null : address.toString());
    if (!snapshot.reads()) {
      return address;
    }
    try {
      return parse(text == null ? "" : text);
    } catch (IllegalArgumentException malformed) {
      throw snapshot.wrong(text + " is no address");
    }
  }
}
