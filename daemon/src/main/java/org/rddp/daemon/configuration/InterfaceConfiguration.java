package org.rddp.daemon.configuration;

import java.util.Optional;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.TcpSettings;

/**
 * An interface: its device and its network settings.
 *
 * @param name name that programs use
 * @param device the device in one of the forms of {@link DeviceName}; {@code ring:NAME} connects
 *     the two interfaces with the same ring name
 * @param address IPv4 address
 * @param prefix prefix length of the network in bits, 1 to 31
 * @param gateway IPv4 address of the gateway, or 0 for none
 * @param ipv6 its IPv6, if it has one
 * @param mtu largest IP packet in octets
 * @param vlan VLAN id, 1 to 4094, or 0 for untagged frames
 * @param engines engines that share the interface, each with a queue of the device: 1 to {@link
 *     org.rddp.ip.StackGroup#MOST}
 * @param packets number of packet buffers
 * @param descriptors entries of the device's receive and transmit rings
 * @param tcp settings of TCP, including the number of connections
 * @param mpa settings of MPA
 * @param heldOctets largest number of octets kept for each connection of messages without a posted
 *     receive
 */
public record InterfaceConfiguration(
    String name,
    String device,
    int address,
    int prefix,
    int gateway,
    Optional<Ipv6Network> ipv6,
    int mtu,
    int vlan,
    int engines,
    int packets,
    int descriptors,
    TcpSettings tcp,
    MpaSettings mpa,
    int heldOctets) {
  /** The addresses with all that the stack has to know of the link. */
  public InterfaceAddress interfaceAddress() {
    Optional<Ipv4Address> router =
        gateway == 0 ? Optional.empty() : Optional.of(new Ipv4Address(gateway));
    return new InterfaceAddress(new Ipv4Address(address), prefix, router, mtu, vlan, ipv6);
  }

  /** The addresses in words, such as {@code 10.0.0.1/24 and 2001:db8::1/64}. */
  public String addressText() {
    String text = Ipv4Text.format(address) + "/" + prefix;
    return ipv6.map(network -> text + " and " + network.address() + "/" + network.prefixLength())
        .orElse(text);
  }

  /** The packet buffers of each engine. */
  public int packetsOfEngine() {
    return packets / engines;
  }

  /** The device in its parts. */
  public DeviceName deviceName() {
    return DeviceName.parse(device);
  }

  /** Whether the device is one end of a pair of rings in this process. */
  public boolean isRing() {
    return deviceName().kind() == DeviceName.Kind.RING;
  }

  /** The name of the ring pair, if {@link #isRing()}. */
  public String ringName() {
    return deviceName().name();
  }
}
