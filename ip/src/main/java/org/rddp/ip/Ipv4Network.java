package org.rddp.ip;

import java.util.Optional;

/**
 * The IPv4 of an interface.
 *
 * @param address of the interface
 * @param prefixLength leading bits that the hosts of the link share, 1 to 32
 * @param gateway router to all other networks, if there is one
 */
public record Ipv4Network(Ipv4Address address, int prefixLength, Optional<Ipv4Address> gateway) {
  /** Checks the ranges. */
  public Ipv4Network {
    if (!address.unicast()) {
      throw new IllegalArgumentException(address + " is not a host's address");
    }
    if (prefixLength < 1 || prefixLength > 32) {
      throw new IllegalArgumentException("prefix length " + prefixLength + " is not 1 to 32");
    }
  }

  /** Whether an address is in the network. */
  public boolean contains(Ipv4Address other) {
    return ((address.bits() ^ other.bits()) & mask()) == 0;
  }

  /**
   * Whether an address of the network can be a host's: neither the network nor the broadcast
   * address.
   */
  public boolean isHost(Ipv4Address host) {
    int suffix = host.bits() & ~mask();
    return prefixLength >= 31 || (suffix != 0 && suffix != ~mask());
  }

  /** The network's own address and its prefix length, such as {@code 10.0.0.0/24}. */
  public String text() {
    return new Ipv4Address(address.bits() & mask()) + "/" + prefixLength;
  }

  /** The netmask: a one for each bit of the prefix. */
  int mask() {
    return -1 << (32 - prefixLength);
  }
}
