package org.rddp.interop.linuxtcp;

import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.device.FrameDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;

/**
 * A link between us and Linux.
 *
 * @param name in the table
 * @param device at our end
 * @param ours our address; Linux's is the next
 */
record LinuxLink(String name, FrameDevice device, InterfaceAddress ours) {
  /** A link on one of DPDK's ports. */
  static LinuxLink of(InterfaceConfiguration configured, FrameDevice device) {
    Ipv4Address address = new Ipv4Address(configured.address());
    return new LinuxLink(
        configured.name(), device, new InterfaceAddress(address, configured.prefix()));
  }

  /** Linux's address on it. */
  Ipv4Address linux() {
    return new Ipv4Address(ours.address().bits() + 1);
  }
}
