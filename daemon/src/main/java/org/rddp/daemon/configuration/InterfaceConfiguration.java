package org.rddp.daemon.configuration;

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
    int mtu,
    int vlan,
    int engines,
    int packets,
    int descriptors,
    TcpSettings tcp,
    MpaSettings mpa,
    int heldOctets) {
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
