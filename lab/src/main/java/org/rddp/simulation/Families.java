package org.rddp.simulation;

/**
 * The families of addresses that a host has: one or both.
 *
 * @param ipv4 whether it has IPv4
 * @param ipv6 whether it has IPv6
 * @param routers whether it learns IPv6 routers, the link's MTU and redirects from the link
 */
public record Families(boolean ipv4, boolean ipv6, boolean routers) {
  /** IPv4 only. */
  public static final Families IPV4 = new Families(true, false, false);
}
