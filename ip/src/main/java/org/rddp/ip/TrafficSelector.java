package org.rddp.ip;

import org.rddp.wire.Ipv4;

/**
 * The traffic that a rule of a policy or an association is for (RFC 4301 section 4.4.1.1).
 *
 * @param remote addresses of the peers
 * @param tcpOnly whether ICMP is excluded; so it always is with a port
 * @param localPort our TCP port, 1 to 65535; 0: any
 * @param remotePort the peer's TCP port, likewise
 */
public record TrafficSelector(
    AddressPrefix remote, boolean tcpOnly, int localPort, int remotePort) {
  /** A port that is not known: no rule with ports matches. */
  static final int NO_PORT = -1;

  private static final int LAST_PORT = 65535;

  /** Checks the ports. */
  public TrafficSelector {
    if (localPort < 0 || localPort > LAST_PORT || remotePort < 0 || remotePort > LAST_PORT) {
      throw new IllegalArgumentException("a port is 1 to 65535, or 0 for any");
    }
    tcpOnly |= localPort != 0 || remotePort != 0;
  }

  /** Everything from and to one address. */
  public static TrafficSelector of(HostAddress remote) {
    return new TrafficSelector(AddressPrefix.of(remote), false, 0, 0);
  }

  /** Whether it is for a packet from or to an address, with these ports if it is of TCP. */
  boolean covers(long high, long low, int protocol, int local, int other) {
    return remote.contains(high, low)
        && (!tcpOnly
            || (protocol == Ipv4.PROTOCOL_TCP
                && (localPort == 0 || localPort == local)
                && (remotePort == 0 || remotePort == other)));
  }

  @Override
  public String toString() {
    return remote
        + (tcpOnly && localPort == 0 && remotePort == 0 ? " tcp" : "")
        + (localPort == 0 ? "" : " local-port " + localPort)
        + (remotePort == 0 ? "" : " remote-port " + remotePort);
  }
}
