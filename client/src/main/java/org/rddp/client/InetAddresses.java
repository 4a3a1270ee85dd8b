package org.rddp.client;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Converts IPv4 addresses to and from 32-bit numbers, as in the control protocol. */
final class InetAddresses {
  private InetAddresses() {}

  /** The 32 bits of an address; 0 for the wildcard. */
  static int bits(InetSocketAddress address) {
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("unknown host: " + address.getHostString());
    }
    return bits(address.getAddress());
  }

  static int bits(InetAddress address) {
    if (address instanceof Inet4Address) {
      return ByteBuffer.wrap(address.getAddress()).getInt();
    }
    // The JDK may represent the wildcard address as IPv6.
    if (address.isAnyLocalAddress()) {
      return 0;
    }
    throw new IllegalArgumentException("not an IPv4 address: " + address.getHostAddress());
  }

  /** An address and its port in words; "the peer" for null. */
  static String text(InetSocketAddress peer) {
    return peer == null ? "the peer" : peer.getAddress().getHostAddress() + ":" + peer.getPort();
  }

  static InetSocketAddress address(int bits, int port) {
    return new InetSocketAddress(address(bits), port);
  }

  static InetAddress address(int bits) {
    try {
      return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(bits).array());
    } catch (UnknownHostException e) {
      throw new AssertionError("four octets are an address", e);
    }
  }
}
