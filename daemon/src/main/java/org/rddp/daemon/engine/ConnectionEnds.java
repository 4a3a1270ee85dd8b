package org.rddp.daemon.engine;

import org.rddp.ip.Ipv4Address;

/**
 * The addresses of both ends of a connection.
 *
 * @param localAddress our IPv4 address
 * @param localPort our port
 * @param remoteAddress the peer's IPv4 address
 * @param remotePort the peer's port
 */
public record ConnectionEnds(int localAddress, int localPort, int remoteAddress, int remotePort) {
  /** Our end, such as {@code 10.0.0.1:7471}. */
  public String local() {
    return new Ipv4Address(localAddress) + ":" + localPort;
  }

  /** The peer's end, likewise. */
  public String remote() {
    return new Ipv4Address(remoteAddress) + ":" + remotePort;
  }
}
