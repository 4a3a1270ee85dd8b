package org.rddp.tcp.handshake;

import java.util.HashMap;
import java.util.Map;
import org.rddp.group.SharedCounts;
import org.rddp.ip.Path;

/**
 * The remote addresses that have connections, and the limits of each. A /64 network of IPv6 may
 * have {@link #PER_PREFIX} times what one address may, since it may be many hosts or one.
 *
 * <p>Connections with an address of IPv4, or a network of IPv6, are counted together with those of
 * the other stacks of the interface; handshakes, and connections with one address of IPv6, are not.
 */
public final class Peers {
  /** The limit of an IPv6 network is this many times that of an address. */
  static final int PER_PREFIX = 8;

  private final Map<Integer, PeerAccount> peers = new HashMap<>();
  private final Map<Long, PrefixAccount> prefixes = new HashMap<>();
  private final SharedCounts counts;
  private final int mostConnections;
  private final int mostHandshakes;

  /**
   * Creates an instance without peers.
   *
   * @param counts connections of all stacks of the interface
   * @param mostConnections connections that a peer may have
   * @param mostHandshakes handshakes in progress that a peer may have begun
   */
  public Peers(SharedCounts counts, int mostConnections, int mostHandshakes) {
    this.counts = counts;
    this.mostConnections = mostConnections;
    this.mostHandshakes = mostHandshakes;
  }

  /** Whether a peer may have another connection. */
  public boolean mayConnect(Path path) {
    if (!path.isIpv6()) {
      return counts.of(path.network()) < mostConnections;
    }
    PeerAccount peer = peers.get(path.number());
    return (peer == null || peer.connections < mostConnections)
        && counts.of(path.network()) < PER_PREFIX * (long) mostConnections;
  }

  /** Whether a peer may begin another handshake. */
  boolean mayStartHandshake(Path path) {
    PeerAccount peer = peers.get(path.number());
    PrefixAccount prefix = peer == null ? prefix(path) : peer.prefix;
    return (peer == null || peer.handshakes < mostHandshakes)
        && (prefix == null || prefix.handshakes < PER_PREFIX * (long) mostHandshakes);
  }

  /** The account of a peer's network; null if there is none, or it is IPv4. */
  private PrefixAccount prefix(Path path) {
    return path.isIpv6() ? prefixes.get(path.network()) : null;
  }

  /**
   * Counts another connection of a peer.
   *
   * @return the account, or null if there is no next hop: {@link Path#open}
   */
  public PeerAccount addConnection(Path path) {
    PeerAccount peer = peers.get(path.number());
    if (peer == null) {
      if (!path.open()) {
        return null;
      }
      peer = account(path);
      peers.put(path.number(), peer);
    }
    peer.connections++;
    counts.add(path.network());
    if (peer.prefix != null) {
      peer.prefix.connections++;
    }
    return peer;
  }

  private PeerAccount account(Path path) {
    return new PeerAccount(
        path, path.isIpv6() ? prefixes.computeIfAbsent(path.network(), PrefixAccount::new) : null);
  }

  /** Removes a connection that has ended, and the account with the last one. */
  public void removeConnection(PeerAccount peer) {
    Path path = peer.path;
    counts.remove(path.network());
    if (--peer.connections == 0) {
      peers.remove(path.number());
      path.close();
    }
    if (peer.prefix != null && --peer.prefix.connections == 0) {
      prefixes.remove(peer.prefix.prefix);
    }
  }

  /** Connections of all stacks of the interface, those in TIME-WAIT included. */
  public int connections() {
    return counts.total();
  }
}
