package org.rddp.interop.guest;

import java.net.InetSocketAddress;
import java.util.Optional;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;

/**
 * A link between one of the daemon's interfaces and the guest.
 *
 * @param interfaceName the daemon's name for it
 * @param kind of the wrapper around its device, such as {@code clean}, {@code lossy} or {@code
 *     spoiled}
 * @param mtu of both ends
 * @param ours our address
 * @param guests the guest's address
 * @param device name of the guest's RDMA device
 * @param guestName what the guest's side is, for the table
 */
public record GuestLink(
    String interfaceName,
    String kind,
    int mtu,
    String ours,
    String guests,
    String device,
    String guestName) {

  /**
   * The link of an interface whose name is the kind, with digits behind it; the guest has the first
   * address of its network.
   *
   * @param device name of the guest's RDMA device
   * @param guestName what the guest's side is
   */
  public static GuestLink of(InterfaceConfiguration configured, String device, String guestName) {
    int address = configured.ipv4().orElseThrow().address().bits();
    return new GuestLink(
        configured.name(),
        configured.name().replaceAll("\\d", ""),
        configured.mtu(),
        text(address),
        text((address & -256) | 1),
        device,
        guestName);
  }

  /** This link with another MTU of the guest's end, which is smaller than ours. */
  public GuestLink withMtu(int octets) {
    return new GuestLink(interfaceName, kind, octets, ours, guests, device, guestName);
  }

  /**
   * This link over IPv6, if the interface has it; the guest has the address 1 of the network, whose
   * prefix has 64 bits.
   */
  public Optional<GuestLink> overIpv6(InterfaceConfiguration configured) {
    return configured
        .ipv6()
        .map(Ipv6Network::address)
        .map(own ->
            new GuestLink(
                interfaceName,
                kind,
                mtu,
                own.toString(),
                new Ipv6Address(own.high(), 1).toString(),
                device,
                guestName));
  }

  private static String text(int address) {
    return (address >>> 24)
        + "."
        + (address >>> 16 & 255)
        + "."
        + (address >>> 8 & 255)
        + "."
        + (address & 255);
  }

  /** A socket address in the guest. */
  public InetSocketAddress guest(int port) {
    return new InetSocketAddress(guests, port);
  }

  /** MTU, kind and the family if it is IPv6, for the table. */
  @Override
  public String toString() {
    return "MTU "
        + mtu
        + (kind.equals("lossy") ? " 1 % loss" : " clean")
        + (guests.contains(":") ? " IPv6" : "");
  }
}
