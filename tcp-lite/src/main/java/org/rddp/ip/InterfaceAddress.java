package org.rddp.ip;

import java.util.Optional;
import org.rddp.wire.Vlan;

/**
 * Where an interface stands in the Internet.
 *
 * @param address its address
 * @param prefixLength leading bits that the hosts of its link share, 1 to 32
 * @param gateway the router to everywhere else, if there is one
 * @param mtu largest IP packet to send in octets, 68 to 65535; the device's own limit holds too
 * @param vlan the VLAN that it is in, 1 to 4094; {@link Vlan#NONE} for frames without a tag
 */
public record InterfaceAddress(
    Ipv4Address address, int prefixLength, Optional<Ipv4Address> gateway, int mtu, int vlan) {
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

  /** An interface whose frames have no VLAN tag. */
  public InterfaceAddress(
      Ipv4Address address, int prefixLength, Optional<Ipv4Address> gateway, int mtu) {
    this(address, prefixLength, gateway, mtu, Vlan.NONE);
  }

  /**
   * An interface without a gateway, with whatever MTU the device has.
   *
   * @param prefixLength leading bits that the hosts of its link share, 1 to 32
   */
  public InterfaceAddress(Ipv4Address address, int prefixLength) {
    this(address, prefixLength, Optional.empty(), 65535);
  }
}
