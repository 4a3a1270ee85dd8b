package org.rddp.tcp.handshake;

import org.rddp.ip.Neighbour;

/** One remote address: the way there, and what its connections have together. */
public final class PeerAccount {
  final int address;
  public final Neighbour route;

  /** Connections, those in TIME-WAIT included. */
  int connections;

  /** Handshakes under way that the peer has begun. */
  public int handshakes;

  /** Packets that are kept for its connections until they are acknowledged. */
  public int sent;

  /** Packets of its that wait for their turn. */
  public int early;

  PeerAccount(int address, Neighbour route) {
    this.address = address;
    this.route = route;
  }
}
