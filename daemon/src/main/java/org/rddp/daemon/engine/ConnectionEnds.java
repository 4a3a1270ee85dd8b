package org.rddp.daemon.engine;

import org.rddp.ip.HostAddress;

/**
 * The addresses of both ends of a connection.
 *
 * @param localAddress our address
 * @param localPort our port
 * @param remoteAddress the peer's address, of the same family
 * @param remotePort the peer's port
 */
public record ConnectionEnds(
    HostAddress localAddress, int localPort, HostAddress remoteAddress, int remotePort) {
  /** Our end, such as {@code 10.0.0.1:7471}. */
  public String local() {
    return localAddress.withPort(localPort);
  }

  /** The peer's end, likewise. */
  public String remote() {
    return remoteAddress.withPort(remotePort);
  }
}
