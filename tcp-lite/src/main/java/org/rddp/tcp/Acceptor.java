package org.rddp.tcp;

import org.rddp.ip.HostAddress;
import org.rddp.ip.Path;

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

  /**
   * Whether connections over a path are taken, by our address there. A SYN to another one is
   * answered as if nobody listened at the port.
   */
  default boolean isFor(Path path) {
    return true;
  }
}
