package org.rddp.tcp;

import org.rddp.ip.HostAddress;

/** Accepts or rejects connections to the port of a {@link TcpListener}. */
@FunctionalInterface
public interface Acceptor {
  /**
   * Decides about an established connection. Called on the engine's thread.
   *
   * @param stream the connection; {@link StreamHandler#onOpen} follows at once
   * @param remoteAddress the peer's address
   * @param remotePort the peer's port
   * @return its handler, or null to reset the connection
   */
  StreamHandler onIncoming(TcpConnection stream, HostAddress remoteAddress, int remotePort);
}
