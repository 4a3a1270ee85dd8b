package org.rddp.tcp.handshake;

import org.rddp.ip.Neighbour;

/** One remote address: the next hop, and counts over all of its connections. */
public final class PeerAccount {
  /** The next hop to the address. */
  public final Neighbour route;

  /** Handshakes in progress that the peer has begun. */
  public int handshakes;

  /** Packets kept until the peer acknowledges them. */
  public int sent;

  /** Packets received out of order and kept. */
  public int early;

  final int address;

  /** Connections, those in TIME-WAIT included. */
  int connections;

  PeerAccount(int address, Neighbour route) {
    this.address = address;
    this.route = route;
  }
}
