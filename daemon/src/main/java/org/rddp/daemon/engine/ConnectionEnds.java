package org.rddp.daemon.engine;

import org.rddp.ip.HostAddress;
import org.rddp.snapshot.Snapshot;

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

  /**
   * Transfers the addresses.
   *
   * @param written null if they are read
   */
  static ConnectionEnds transfer(Snapshot snapshot, ConnectionEnds written) {
    boolean reads = written == null;
    snapshot.begin(ConnectionEnds.class);
    HostAddress localAddress = HostAddress.transfer(snapshot, reads ? null : written.localAddress);
    int localPort = snapshot.number("localPort", reads ? 0 : written.localPort);
    HostAddress remoteAddress =
        HostAddress.transfer(snapshot, reads ? null : written.remoteAddress);
    int remotePort = snapshot.number("remotePort", reads ? 0 : written.remotePort);
    snapshot.end();
    return new ConnectionEnds(localAddress, localPort, remoteAddress, remotePort);
  }
}
