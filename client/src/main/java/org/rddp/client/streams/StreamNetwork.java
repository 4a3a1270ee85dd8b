package org.rddp.client.streams;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.ipc.control.InterfacePrefix;
import org.rddp.ipc.control.IpAddress;

/**
 * A network of an interface of the daemon.
 *
 * @param interfaceName the interface's name
 * @param address the interface's own address
 * @param prefix bits that all addresses of the network share, 0 to 32 or 128
 * @param encrypted whether the interface requires encryption
 */
public record StreamNetwork(
    String interfaceName, InetAddress address, int prefix, boolean encrypted) {
  static void addAll(List<StreamNetwork> to, InterfaceEntry entry, boolean encrypted) {
    if (entry.address().isIpv4()) {
      to.add(new StreamNetwork(entry.name(), inet(entry.address()), entry.prefix(), encrypted));
    }
    for (InterfacePrefix each : entry.ipv6()) {
      InetAddress address = inet(each.address());
      if (!address.isLinkLocalAddress()) {
        to.add(new StreamNetwork(entry.name(), address, each.prefix(), encrypted));
      }
    }
  }

  private static InetAddress inet(IpAddress address) {
    ByteBuffer octets =
        address.isIpv4()
            ? ByteBuffer.allocate(Integer.BYTES).putInt(address.bits())
            : ByteBuffer.allocate(2 * Long.BYTES).putLong(address.first()).putLong(address.last());
    try {
      return InetAddress.getByAddress(octets.array());
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 octets are an address", e);
    }
  }
}
