package org.rddp.interop.linuxtcp;

import java.util.ArrayList;
import java.util.List;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv4Network;
import org.rddp.ip.Ipv6Address;

/**
 * A link between us and Linux, used with one of its families.
 *
 * @param name in the table
 * @param device at our end
 * @param ours what our stack knows of the link
 * @param address ours of the family; Linux's is the next
 */
record LinuxLink(String name, FrameDevice device, InterfaceAddress ours, HostAddress address) {
  /** A link with IPv4. */
  LinuxLink(String name, FrameDevice device, InterfaceAddress ours) {
    this(name, device, ours, ours.ipv4().orElseThrow().address());
  }

  /** A link on one of DPDK's ports, once for each family that the interface has. */
  static List<LinuxLink> of(InterfaceConfiguration configured, FrameDevice device) {
    InterfaceAddress ours = configured.interfaceAddress();
    List<LinuxLink> links = new ArrayList<>();
    links.add(new LinuxLink(configured.name(), device, ours));
    ours.ipv6()
        .ifPresent(ipv6 ->
            links.add(new LinuxLink(configured.name() + "v6", device, ours, ipv6.address())));
    return links;
  }

  /** Whether both ends leave checksums and the cutting of long frames to the link. */
  boolean offloads() {
    return device.offloads() != Offloads.NONE;
  }

  /** Whether routers are between us and Linux, with a link whose MTU is smaller than ours. */
  boolean routed() {
    return ours.ipv4().flatMap(Ipv4Network::gateway).isPresent();
  }

  /** Whether the router is known by its advertisements. */
  boolean advertised() {
    return address instanceof Ipv6Address && ours.ipv6().orElseThrow().advertised();
  }

  /** Linux's address on it, or behind the routers. */
  HostAddress linux() {
    return switch (address) {
      case Ipv4Address v4 -> new Ipv4Address(v4.bits() + 1);
      case Ipv6Address v6 -> new Ipv6Address(v6.high(), v6.low() + 1);
    };
  }
}
