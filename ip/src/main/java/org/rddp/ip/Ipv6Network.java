package org.rddp.ip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/**
 * The IPv6 of an interface.
 *
 * @param address of the interface, not link-local: the interface has a link-local one as well
 * @param prefixLength leading bits that the hosts of the link share, 1 to 128
 * @param gateway router to all other networks, if there is one; may be link-local
 * @param advertised whether to take the gateway, the link's MTU and redirects from the link's
 *     routers instead of the configuration (RFC 4861 sections 6.3 and 8.3)
 * @param secret for making the link-local address (RFC 7217): constant across starts, and unknown
 *     to others
 */
public record Ipv6Network(
    Ipv6Address address,
    int prefixLength,
    Optional<Ipv6Address> gateway,
    boolean advertised,
    String secret) {
  /** The upper half of every link-local address (RFC 4291 section 2.5.6). */
  static final long LINK_LOCAL = 0xfe80L << 48;

  /** Checks the ranges. */
  public Ipv6Network {
    if (!address.unicast() || address.linkLocal()) {
      throw new IllegalArgumentException(address + " is not a host's address beyond its link");
    }
    if (prefixLength < 1 || prefixLength > 128) {
      throw new IllegalArgumentException("prefix length " + prefixLength + " is not 1 to 128");
    }
    if (gateway.isPresent() && !gateway.get().unicast()) {
      throw new IllegalArgumentException(gateway.get() + " is not a host's address");
    }
    if (gateway.isPresent() && advertised) {
      throw new IllegalArgumentException("the gateway is either configured or advertised");
    }
  }

  /** Creates a network without a gateway. */
  public Ipv6Network(Ipv6Address address, int prefixLength, String secret) {
    this(address, prefixLength, Optional.empty(), false, secret);
  }

  /**
   * The link-local address of an interface: it stays the same and tells nothing about the host (RFC
   * 7217 section 5).
   */
  public Ipv6Address linkLocal(long macAddress) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(ByteBuffer.allocate(16).putLong(LINK_LOCAL).putLong(macAddress).flip());
      byte[] digest = hash.digest(secret.getBytes(StandardCharsets.UTF_8));
      return new Ipv6Address(LINK_LOCAL, ByteBuffer.wrap(digest).getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
