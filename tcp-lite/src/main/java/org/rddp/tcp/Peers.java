package org.rddp.tcp;

import java.util.HashMap;
import java.util.Map;
import org.rddp.ip.IpLayer;
import org.rddp.ip.Neighbour;

/** The remote addresses that have connections, and what each may have. */
final class Peers {
  private final Map<Integer, PeerAccount> peers = new HashMap<>();
  private final TcpSettings settings;
  private final IpLayer ip;

  Peers(TcpSettings settings, IpLayer ip) {
    this.settings = settings;
    this.ip = ip;
  }

  /** Whether an address may have another connection. */
  boolean mayConnect(int address) {
    PeerAccount peer = peers.get(address);
    return peer == null || peer.connections < settings.peerConnections();
  }

  /** Whether an address may begin another handshake. */
  boolean mayKnock(int address) {
    PeerAccount peer = peers.get(address);
    return peer == null || peer.handshakes < settings.peerBacklog();
  }

  /**
   * Takes another connection of an address into account.
   *
   * @return the peer, or null when it cannot be reached
   */
  PeerAccount enter(int address) {
    PeerAccount peer = peers.get(address);
    if (peer == null) {
      Neighbour route = ip.route(address);
      if (route == null) {
        return null;
      }
      route.acquire();
      peer = new PeerAccount(address, route);
      peers.put(address, peer);
    }
    peer.connections++;
    return peer;
  }

  /** A connection of a peer is gone; with the last the peer is forgotten. */
  void leave(PeerAccount peer) {
    if (--peer.connections == 0) {
      peer.route.release();
      peers.remove(peer.address);
    }
  }
}
