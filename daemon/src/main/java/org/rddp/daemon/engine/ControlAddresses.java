package org.rddp.daemon.engine;

import java.nio.ByteBuffer;
import org.rddp.client.types.Reason;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.ring.StreamEnds;

/** Converts addresses to and from those of the control protocol. */
public final class ControlAddresses {
  /** Upper 32 bits of the lower half of an IPv4-mapped address (RFC 4291 section 2.5.5.2). */
  private static final int MAPPED = 0xffff;

  private ControlAddresses() {}

  /** An address as control messages carry it. */
  public static IpAddress of(HostAddress address) {
    return switch (address) {
      case Ipv4Address v4 -> IpAddress.ipv4(v4.bits());
      case Ipv6Address v6 -> IpAddress.ipv6(v6.high(), v6.low());
    };
  }

  /** The ends of a connection as the memory of an octet stream has them. */
  static StreamEnds of(ConnectionEnds ends) {
    IpAddress local = of(ends.localAddress());
    IpAddress remote = of(ends.remoteAddress());
    return new StreamEnds(
        local.family(), octets(local), ends.localPort(), octets(remote), ends.remotePort());
  }

  private static byte[] octets(IpAddress address) {
    return ByteBuffer.allocate(16).putLong(address.first()).putLong(address.last()).array();
  }

  /**
   * Converts an address from a program. An IPv4-mapped address becomes IPv4. Ignores the scope,
   * since an interface has one link.
   *
   * @throws RequestRefusedException if it is of another family, or not well formed
   */
  public static HostAddress host(IpAddress address) throws RequestRefusedException {
    if (address.isIpv4()) {
      return new Ipv4Address(address.bits());
    }
    if (address.family() != IpAddress.IPV6) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "an address of the family %d; it is %d for IPv4 (scope 0, four octets and twelve zeros) or %d for IPv6"
              .formatted(address.family(), IpAddress.IPV4, IpAddress.IPV6));
    }
    boolean mapped = address.first() == 0 && address.last() >>> 32 == MAPPED;
    return mapped
        ? new Ipv4Address((int) address.last())
        : new Ipv6Address(address.first(), address.last());
  }

  /** Whether an address stands for any address of the interface of its family. */
  public static boolean isAny(HostAddress address) {
    return switch (address) {
      case Ipv4Address v4 -> v4.bits() == 0;
      case Ipv6Address v6 -> v6.high() == 0 && v6.low() == 0;
    };
  }
}
