package org.rddp.daemon.configuration;

import static java.util.stream.Collectors.joining;

import java.util.Optional;
import java.util.stream.Stream;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Network;
import org.rddp.ip.Ipv6Network;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.TcpSettings;

/**
 * An interface: its device and its network settings.
 *
 * @param name name that programs use
 * @param device the device; {@code ring:NAME} connects the two interfaces with the same ring name
 * @param ipv4 its IPv4, if it has one, with a prefix length of 1 to 31
 * @param ipv6 its IPv6, if it has one
 * @param mtu largest IP packet in octets
 * @param longestFrame largest IP packet in octets of a frame with several TCP segments: {@link
 *     org.rddp.device.FrameDevice#longestFrame()}
 * @param vlan VLAN id, 1 to 4094, or 0 for untagged frames
 * @param vlanPriority priority of the VLAN tag, 0 to 7; 0 without one
 * @param engines engines that share the interface, each with a queue of the device: 1 to {@link
 *     org.rddp.group.StackGroup#MOST}
 * @param packets number of packet buffers
 * @param descriptors entries of the device's receive and transmit rings
 * @param tcp settings of TCP, including the number of connections
 * @param mpa settings of MPA
 * @param rate bits per second that its engines send at the most; 0: no limit
 * @param heldOctets largest number of octets kept for each connection of messages without a posted
 *     receive
 * @param heldMemory octets of memory for such messages of all connections, shared out among the
 *     engines
 * @param socketsPort TCP port at which octet streams arrive, 1 to 65535; 0: none
 * @param queuePairPort TCP port at which peers' queue pairs connect by number, 1 to 65535; 0: none
 * @param ipsec which traffic must be in ESP, and keys for it; empty: none, and no packet is asked
 */
public record InterfaceConfiguration(
    String name,
    DeviceName device,
    Optional<Ipv4Network> ipv4,
    Optional<Ipv6Network> ipv6,
    int mtu,
    int longestFrame,
    int vlan,
    int vlanPriority,
    int engines,
    int packets,
    int descriptors,
    TcpSettings tcp,
    MpaSettings mpa,
    long rate,
    int heldOctets,
    long heldMemory,
    int queuePairPort,
    int socketsPort,
    Optional<IpsecConfiguration> ipsec) {
  /**
   * The usual {@link #queuePairPort}: near the port of RoCE v2, 4791; IANA has assigned none of
   * 4793 to 4799.
   */
  public static final int QUEUE_PAIR_PORT = 4794;

  /** Default of {@code socketsPort}. */
  public static final int SOCKETS_PORT = 4793;

  /** The addresses with the link's settings for the stack. */
  public InterfaceAddress interfaceAddress() {
    return new InterfaceAddress(ipv4, ipv6, mtu, vlan, vlanPriority);
  }

  /** The addresses in words, such as {@code 10.0.0.1/24 and 2001:db8::1/64}. */
  public String addressText() {
    Stream<String> v4 = ipv4.stream().map(own -> own.address() + "/" + own.prefixLength());
    Stream<String> v6 = ipv6.stream().map(own -> own.address() + "/" + own.prefixLength());
    return Stream.concat(v4, v6).collect(joining(" and "));
  }

  /**
   * The name of one of its engines: its own if it has only one.
   *
   * @param number from 0
   */
  public String engineName(int number) {
    return engines == 1 ? name : name + "/" + number;
  }

  /** The packet buffers of each engine. */
  public int packetsOfEngine() {
    return packets / engines;
  }

  /** The memory for held messages of each engine. */
  public long heldMemoryOfEngine() {
    return heldMemory / engines;
  }

  /**
   * The port at which peers' queue pairs introduce themselves; 0 for none, also where connections
   * begin with a Start Key, which leaves no room for that.
   */
  public int introductionPort() {
    return mpa.startKey() ? 0 : queuePairPort;
  }

  /** The port at which octet streams arrive; 0 for none, likewise. */
  public int socketsPortInUse() {
    return mpa.startKey() ? 0 : socketsPort;
  }

  /**
   * Whether the device is a Linux interface that carries frames of several segments, by packet
   * sockets with virtio headers; otherwise {@code linux:} is DPDK's net_af_packet.
   */
  public boolean usesPacketSockets() {
    return device.kind() == DeviceName.Kind.LINUX && longestFrame > mtu;
  }

  /** Whether the device is one end of a pair of rings in this process. */
  public boolean isRing() {
    return device.kind() == DeviceName.Kind.RING;
  }

  /** The name of the ring pair, if {@link #isRing()}. */
  public String ringName() {
    return device.name();
  }
}
