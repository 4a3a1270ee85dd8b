package org.rddp.client;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.rddp.ipc.control.IpAddress;

/** Converts addresses to and from those of the control protocol. */
final class InetAddresses {
  private InetAddresses() {}

  /** An IPv4 address, or the wildcard. */
  static IpAddress of(InetSocketAddress address) {
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("unknown host: " + address.getHostString());
    }
    return of(address.getAddress());
  }

  private static IpAddress of(InetAddress address) {
    if (address instanceof Inet4Address) {
      return IpAddress.ipv4(ByteBuffer.wrap(address.getAddress()).getInt());
    }
    // The JDK may represent the wildcard address as IPv6.
    if (address.isAnyLocalAddress()) {
      return IpAddress.ipv4(0);
    }
    throw new IllegalArgumentException("not an IPv4 address: " + address.getHostAddress());
  }

  /** An address and its port in words; "the peer" for null. */
  static String text(InetSocketAddress peer) {
    return peer == null ? "the peer" : peer.getAddress().getHostAddress() + ":" + peer.getPort();
  }

  static InetSocketAddress address(IpAddress address, int port) {
    return new InetSocketAddress(address(address), port);
  }

  static InetAddress address(IpAddress address) {
    try {
      return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(address.bits()).array());
    } catch (UnknownHostException e) {
      throw new AssertionError("four octets are an address", e);
    }
  }
}
