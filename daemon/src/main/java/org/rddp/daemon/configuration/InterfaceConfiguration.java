package org.rddp.daemon.configuration;

import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.TcpSettings;

/**
 * One port: the device behind it and what it is on the network.
 *
 * @param name what programs call it
 * @param device DPDK's name and arguments, such as {@code net_virtio_user0,path=...}, a PCI
 *     address, or {@code ring:NAME}, which joins the two interfaces that give the same name
 * @param address the port's IPv4 address
 * @param prefix length of the network's prefix in bits, 1 to 31
 * @param gateway where everything beyond the network goes, or 0 for nowhere
 * @param mtu largest IP packet in octets
 * @param vlan the VLAN that the port is in, 1 to 4094, or 0 for frames without a tag
 * @param packets packet buffers of the port
 * @param descriptors entries of the device's receive and transmit rings
 * @param tcp how TCP behaves, connections at once included
 * @param mpa how MPA starts up
 * @param heldOctets the most that is kept, for each connection, of messages that find no receive
 */
public record InterfaceConfiguration(
    String name,
    String device,
    int address,
    int prefix,
    int gateway,
    int mtu,
    int vlan,
    int packets,
    int descriptors,
    TcpSettings tcp,
    MpaSettings mpa,
    int heldOctets) {
  private static final String RING = "ring:";

  /** Whether the device is one end of a pair of rings within this process. */
  public boolean isRing() {
    return device.startsWith(RING);
  }

  /** The pair's name, when {@link #isRing()}. */
  public String ringName() {
    return device.substring(RING.length());
  }
}
