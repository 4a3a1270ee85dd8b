package org.rddp.tcp.handshake;

import java.util.HashMap;
import java.util.Map;
import org.rddp.ip.IpLayer;
import org.rddp.ip.Neighbour;
import org.rddp.ip.SharedCounts;

/**
 * The remote addresses that have connections, and the limits of each. Connections are counted with
 * those of the other stacks of the interface, handshakes are not.
 */
public final class Peers {
  private final Map<Integer, PeerAccount> peers = new HashMap<>();
  private final IpLayer ip;
  private final SharedCounts counts;
  private final int mostConnections;
  private final int mostHandshakes;

  /**
   * No peers.
   *
   * @param mostConnections connections that a peer may have
   * @param mostHandshakes handshakes in progress that a peer may have begun
   */
  public Peers(IpLayer ip, int mostConnections, int mostHandshakes) {
    this.ip = ip;
    counts = ip.connections();
    this.mostConnections = mostConnections;
    this.mostHandshakes = mostHandshakes;
  }

  /** Whether an address may have another connection. */
  public boolean mayConnect(int address) {
    return counts.of(address) < mostConnections;
  }

  /** Whether an address may begin another handshake. */
  boolean mayStartHandshake(int address) {
    PeerAccount peer = peers.get(address);
    return peer == null || peer.handshakes < mostHandshakes;
  }

  /**
   * Counts another connection of an address.
   *
   * @return the account, or null if there is no route to the address
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
    counts.add(address);
    return peer;
  }

  /** A connection has ended; removes the account with the last one. */
  public void removeConnection(PeerAccount peer) {
    counts.remove(peer.address);
    if (--peer.connections == 0) {
      peer.route.release();
      peers.remove(peer.address);
    }
  }

  /** Connections of all stacks of the interface, those in TIME-WAIT included. */
  public int connections() {
    return counts.total();
  }
}
