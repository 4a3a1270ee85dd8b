package org.rddp.tcp;

import org.rddp.ip.Neighbour;

/** One remote address: the way there, and what its connections have together. */
final class PeerAccount {
  final int address;
  final Neighbour route;

  /** Connections, those in TIME-WAIT included. */
  int connections;

  /** Handshakes under way that the peer has begun. */
  int handshakes;

  /** Packets that are kept for its connections until they are acknowledged. */
  int sent;

  /** Packets of its that wait for their turn. */
  int early;

  PeerAccount(int address, Neighbour route) {
    this.address = address;
    this.route = route;
  }
}
