package org.rddp.tcp.handshake;

import java.util.HashMap;
import java.util.Map;
import org.rddp.ip.IpLayer;
import org.rddp.ip.Neighbour;
import org.rddp.tcp.TcpSettings;

/** The remote addresses that have connections, and what each may have. */
public final class Peers {
  private final Map<Integer, PeerAccount> peers = new HashMap<>();
  private final TcpSettings settings;
  private final IpLayer ip;

  public Peers(TcpSettings settings, IpLayer ip) {
    this.settings = settings;
    this.ip = ip;
  }

  /** Whether an address may have another connection. */
  public boolean mayConnect(int address) {
    PeerAccount peer = peers.get(address);
    return peer == null || peer.connections < settings.peerConnections();
  }

  /** Whether an address may begin another handshake. */
  public boolean mayStartHandshake(int address) {
    PeerAccount peer = peers.get(address);
    return peer == null || peer.handshakes < settings.peerBacklog();
  }

  /**
   * Takes another connection of an address into account.
   *
   * @return the peer, or null when it cannot be reached
   */
  public PeerAccount addConnection(int address) {
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
  public void removeConnection(PeerAccount peer) {
    if (--peer.connections == 0) {
      peer.route.release();
      peers.remove(peer.address);
    }
  }
}
