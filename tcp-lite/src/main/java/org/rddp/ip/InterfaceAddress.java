package org.rddp.ip;

import java.util.Optional;
import org.rddp.wire.Vlan;

/**
 * The address of an interface and its network.
 *
 * @param address of the interface
 * @param prefixLength leading bits that the hosts of the link share, 1 to 32
 * @param gateway router to all other networks, if there is one
 * @param mtu largest IP packet to send in octets, 68 to 65535; limited by the device's, too
 * @param vlan VLAN of the interface, 1 to 4094; {@link Vlan#NONE} for frames without a tag
 * @param ipv6 its IPv6, if it has one; the MTU must then be at least 1280
 */
public record InterfaceAddress(
    Ipv4Address address,
    int prefixLength,
    Optional<Ipv4Address> gateway,
    int mtu,
    int vlan,
    Optional<Ipv6Network> ipv6) {
  /** The smallest MTU that an Internet host must handle (RFC 791). */
  private static final int SMALLEST_MTU = 68;

  /** Checks the ranges. */
  public InterfaceAddress {
    if (!address.unicast()) {
      throw new IllegalArgumentException(address + " is not a host's address");
    }
    if (prefixLength < 1 || prefixLength > 32) {
      throw new IllegalArgumentException("prefix length " + prefixLength + " is not 1 to 32");
    }
    if (mtu < SMALLEST_MTU || mtu > 65535) {
      throw new IllegalArgumentException("MTU " + mtu + " is not 68 to 65535");
    }
    if (vlan < Vlan.NONE || vlan > Vlan.LARGEST) {
      throw new IllegalArgumentException("VLAN " + vlan + " is not 1 to 4094, or 0 for none");
    }
  }

  /** An interface with IPv4 only. */
  public InterfaceAddress(
      Ipv4Address address, int prefixLength, Optional<Ipv4Address> gateway, int mtu, int vlan) {
    this(address, prefixLength, gateway, mtu, vlan, Optional.empty());
  }

  /** The same interface with IPv6, too. */
  public InterfaceAddress withIpv6(Ipv6Network network) {
    return new InterfaceAddress(address, prefixLength, gateway, mtu, vlan, Optional.of(network));
  }

  /** An interface without a VLAN. */
  public InterfaceAddress(
      Ipv4Address address, int prefixLength, Optional<Ipv4Address> gateway, int mtu) {
    this(address, prefixLength, gateway, mtu, Vlan.NONE);
  }

  /**
   * An interface without a gateway, with the MTU of the device.
   *
   * @param prefixLength leading bits that the hosts of its link share, 1 to 32
   */
  public InterfaceAddress(Ipv4Address address, int prefixLength) {
    this(address, prefixLength, Optional.empty(), 65535);
  }
}
