package org.rddp.client;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.rddp.client.types.AddressText;
import org.rddp.ipc.control.IpAddress;

/** Converts addresses to and from those of the control protocol. */
final class InetAddresses {
  private InetAddresses() {}

  /** Converts an address, or the wildcard, which stands for the addresses of both families. */
  static IpAddress of(InetSocketAddress address) {
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("unknown host: " + address.getHostString());
    }
    return of(address.getAddress());
  }

  /** An address, or the wildcard, likewise. */
  static IpAddress of(InetAddress address) {
    // The JDK represents the wildcard address in one family or the other.
    if (address.isAnyLocalAddress()) {
      return IpAddress.ANY;
    }
    ByteBuffer octets = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet4Address
        ? IpAddress.ipv4(octets.getInt())
        : IpAddress.ipv6(octets.getLong(), octets.getLong());
  }

  /** An address and its port in words; "the peer" for null. */
  static String text(InetSocketAddress peer) {
    return peer == null ? "the peer" : AddressText.of(peer);
  }

  static InetSocketAddress address(IpAddress address, int port) {
    return new InetSocketAddress(address(address), port);
  }

  static InetAddress address(IpAddress address) {
    try {
      ByteBuffer octets =
          address.isIpv4()
              ? ByteBuffer.allocate(Integer.BYTES).putInt(address.bits())
              : ByteBuffer.allocate(2 * Long.BYTES)
                  .putLong(address.first())
                  .putLong(address.last());
      return InetAddress.getByAddress(octets.array());
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 octets are an address", e);
    }
  }
}
