package org.rddp.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Gets what the interface of a session has for a daemon of IKE (RFC 7296): {@link
 * SecurityAssociations#exchangeKeys}. Called on the thread of the session's control socket, on
 * which no request to the daemon can be made.
 */
public interface KeyExchangeHandler {
  /**
   * A datagram of UDP has arrived at port 500 or 4500 that may hold a message of IKE. If they are
   * not taken in time, further ones are dropped.
   *
   * @param local the interface's address
   * @param remote the sender's address
   * @param datagram from the UDP header on; its checksum has not been verified
   */
  void onDatagram(InetAddress local, InetAddress remote, byte[] datagram);

  /**
   * A packet was not sent because the policy requires ESP and no association is for it. Called
   * again while that is so.
   *
   * @param local the interface's address, with TCP's port, or 0
   * @param remote the peer's address, with TCP's port, or 0
   */
  void onNeed(InetSocketAddress local, InetSocketAddress remote);
}
