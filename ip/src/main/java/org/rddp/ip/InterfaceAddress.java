package org.rddp.ip;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rddp.wire.Vlan;

/**
 * The addresses of an interface, of one family or both, and its link.
 *
 * @param ipv4 the IPv4 network, if there is one
 * @param ipv6 the IPv6 network, if there is one; the MTU must then be at least 1280
 * @param mtu largest IP packet to send in octets, 68 to 65535; the device's MTU limits it, too
 * @param vlan VLAN of the interface, 1 to 4094; {@link Vlan#NONE} for frames without a tag
 * @param vlanPriority priority of the tag, 0 to {@link Vlan#HIGHEST_PRIORITY}; 0 without a tag
 */
public record InterfaceAddress(
    Optional<Ipv4Network> ipv4, Optional<Ipv6Network> ipv6, int mtu, int vlan, int vlanPriority) {
  /** The smallest MTU that an Internet host must handle (RFC 791). */
  private static final int SMALLEST_MTU = 68;

  private static final int LARGEST_MTU = 65535;

  /** Checks the ranges, and that there is an address. */
  public InterfaceAddress {
    if (ipv4.isEmpty() && ipv6.isEmpty()) {
      throw new IllegalArgumentException("an interface needs an address");
    }
    if (mtu < SMALLEST_MTU || mtu > LARGEST_MTU) {
      throw new IllegalArgumentException("MTU " + mtu + " is not 68 to 65535");
    }
    if (vlan < Vlan.NONE || vlan > Vlan.LARGEST) {
      throw new IllegalArgumentException("VLAN " + vlan + " is not 1 to 4094, or 0 for none");
    }
    if (vlanPriority < 0 || vlanPriority > (vlan == Vlan.NONE ? 0 : Vlan.HIGHEST_PRIORITY)) {
      throw new IllegalArgumentException(
          "VLAN priority " + vlanPriority + " is not 0 to 7, or 0 without a VLAN");
    }
  }

  /** Creates an interface with IPv4 only. */
  public InterfaceAddress(
      Ipv4Address address, int prefixLength, Optional<Ipv4Address> gateway, int mtu, int vlan) {
    this(
        Optional.of(new Ipv4Network(address, prefixLength, gateway)),
        Optional.empty(),
        mtu,
        vlan,
        0);
  }

  /** Creates an interface with IPv4 only, without a VLAN. */
  public InterfaceAddress(
      Ipv4Address address, int prefixLength, Optional<Ipv4Address> gateway, int mtu) {
    this(address, prefixLength, gateway, mtu, Vlan.NONE);
  }

  /**
   * Creates an interface with IPv4 only, without a gateway, with the MTU of the device.
   *
   * @param prefixLength leading bits that the hosts of its link share, 1 to 32
   */
  public InterfaceAddress(Ipv4Address address, int prefixLength) {
    this(address, prefixLength, Optional.empty(), LARGEST_MTU);
  }

  /** Creates an interface with IPv6 only, without a VLAN, with the MTU of the device. */
  public InterfaceAddress(Ipv6Network network) {
    this(Optional.empty(), Optional.of(network), LARGEST_MTU, Vlan.NONE, 0);
  }

  /** A copy with IPv6 as well. */
  public InterfaceAddress withIpv6(Ipv6Network network) {
    return new InterfaceAddress(ipv4, Optional.of(network), mtu, vlan, vlanPriority);
  }

  /**
   * Every address of the interface, at least one: that of IPv4, then the configured one of IPv6 and
   * the link-local one.
   *
   * @param macAddress of the device, from which the link-local address is made
   */
  public List<HostAddress> all(long macAddress) {
    List<HostAddress> found = new ArrayList<>();
    ipv4.ifPresent(network -> found.add(network.address()));
    ipv6.ifPresent(network -> {
      found.add(network.address());
      found.add(network.linkLocal(macAddress));
    });
    return List.copyOf(found);
  }

  /** The address that stands for the interface: that of IPv4, else the configured one of IPv6. */
  public HostAddress first() {
    return ipv4.<HostAddress>map(Ipv4Network::address)
        .orElseGet(() -> ipv6.orElseThrow().address());
  }
}
