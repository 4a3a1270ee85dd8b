package org.rddp.ipc.control;

/**
 * An IP address as control messages carry it.
 *
 * @param family {@link #IPV4}, {@link #IPV6}, or 0 for no address
 * @param scope of a link-local IPv6 address; otherwise 0
 * @param first the first eight octets of the address; of IPv4 four octets, and zeros
 * @param last the last eight octets; of IPv4 zeros
 */
public record IpAddress(int family, int scope, long first, long last) {
  /** The family of IPv4 addresses (AF_INET). */
  public static final int IPV4 = 2;

  /** The family of IPv6 addresses (AF_INET6). */
  public static final int IPV6 = 10;

  /** No address. */
  public static final IpAddress NONE = new IpAddress(0, 0, 0, 0);

  /** {@code ::}, which stands for every address of the interface, of both families. */
  public static final IpAddress ANY = ipv6(0, 0);

  /** An IPv4 address; 0: the interface's own. */
  public static IpAddress ipv4(int bits) {
    return new IpAddress(IPV4, 0, Integer.toUnsignedLong(bits) << 32, 0);
  }

  /**
   * An IPv6 address without a scope.
   *
   * @param first its first eight octets
   * @param last its last eight octets
   */
  public static IpAddress ipv6(long first, long last) {
    return new IpAddress(IPV6, 0, first, last);
  }

  /** Whether it is an IPv4 address, well formed. */
  public boolean isIpv4() {
    return family == IPV4 && scope == 0 && (int) first == 0 && last == 0;
  }

  /** The 32 bits of an IPv4 address. */
  public int bits() {
    return (int) (first >>> 32);
  }

  void write(MessageBuffer buffer) {
    buffer.putShort(family);
    buffer.putInt(scope);
    buffer.putLong(first);
    buffer.putLong(last);
  }

  static IpAddress read(MessageBuffer buffer) throws ControlProtocolException {
    return new IpAddress(buffer.getShort(), buffer.getInt(), buffer.getLong(), buffer.getLong());
  }
}
