package org.rddp.ip;

import org.rddp.group.UsableAddresses;
import org.rddp.wire.Ethernet;

/**
 * Our addresses of IPv6 on one link: the configured one and a link-local one. An address that
 * another host has, or may have, is not used (RFC 4862 section 5.4). The first stack of an
 * interface checks that for all.
 */
final class LocalAddresses {
  /** The configured address. */
  static final int GLOBAL = 0;

  /** The link-local address. */
  static final int LINK_LOCAL = 1;

  /** The number of addresses. */
  static final int COUNT = 2;

  private static final long ALL_NODES = Ethernet.ipv6Group(Ipv6Address.ALL_NODES.low());

  private final Ipv6Address[] addresses;

  /** The lower halves of their solicited-node groups. */
  private final long[] groups = new long[COUNT];

  /** The MAC addresses of these groups. */
  private final long[] stations = new long[COUNT];

  private final UsableAddresses usable;

  LocalAddresses(Ipv6Network network, long macAddress, UsableAddresses usable) {
    this.usable = usable;
    addresses = new Ipv6Address[] {network.address(), network.linkLocal(macAddress)};
    for (int i = 0; i < COUNT; i++) {
      groups[i] = addresses[i].solicitedNode().low();
      stations[i] = Ethernet.ipv6Group(groups[i]);
    }
  }

  Ipv6Address get(int index) {
    return addresses[index];
  }

  /** The index of an address; -1 if it is not ours. */
  int find(long high, long low) {
    for (int i = 0; i < COUNT; i++) {
      if (addresses[i].low() == low && addresses[i].high() == high) {
        return i;
      }
    }
    return -1;
  }

  /** The source address, by its index, of packets to a remote address (RFC 6724, rule 2). */
  static int sourceFor(long high) {
    return Ipv6Address.linkLocal(high) ? LINK_LOCAL : GLOBAL;
  }

  /** Whether an address is known to be ours alone. */
  boolean usable(int index) {
    return usable.contains(index);
  }

  /** Permits the use of an address. */
  void use(int index) {
    usable.use(index);
  }

  /** Forbids the use of all addresses until they have been checked. */
  void suspend() {
    usable.suspend();
  }

  /** Like {@link #suspend}, but does nothing if addresses have been checked before. */
  void suspendUnchecked() {
    usable.suspendUnchecked();
  }

  /**
   * Whether frames to a MAC address are for us: of all hosts, or of a solicited-node group of ours.
   */
  boolean joined(long macAddress) {
    return macAddress == ALL_NODES
        || macAddress == stations[GLOBAL]
        || macAddress == stations[LINK_LOCAL];
  }

  /** Whether packets to a group are for us. */
  boolean listens(long high, long low) {
    return high == Ipv6Address.ALL_NODES.high()
        && (low == Ipv6Address.ALL_NODES.low()
            || low == groups[GLOBAL]
            || low == groups[LINK_LOCAL]);
  }
}
