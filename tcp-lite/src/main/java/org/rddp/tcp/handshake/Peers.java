package org.rddp.tcp.handshake;

import java.util.HashMap;
import java.util.Map;
import org.rddp.group.SharedCounts;
import org.rddp.ip.IpLayer;
import org.rddp.ip.Ipv6Path;
import org.rddp.ip.Neighbour;

/**
 * The remote addresses that have connections, and the limits of each. With IPv6 a network of 64
 * bits may have {@link #PER_PREFIX} times what one address may, as its hosts are many or one.
 *
 * <p>Connections with an address of IPv4, or a network of IPv6, are counted together with those of
 * the other stacks of the interface; handshakes, and connections with one address of IPv6, are not.
 */
public final class Peers {
  /** How many times the limit of an address is that of its network. */
  static final int PER_PREFIX = 8;

  private final Map<Integer, PeerAccount> peers = new HashMap<>();
  private final Map<Long, PrefixAccount> prefixes = new HashMap<>();
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
    Ipv6Path path = ip.path(address);
    if (path == null) {
      return counts.of(address) < mostConnections;
    }
    PeerAccount peer = peers.get(address);
    return (peer == null || peer.connections < mostConnections)
        && counts.of(path.remotePrefix()) < PER_PREFIX * (long) mostConnections;
  }

  /** Whether an address may begin another handshake. */
  boolean mayStartHandshake(int address) {
    PeerAccount peer = peers.get(address);
    PrefixAccount prefix = prefix(address, peer);
    return (peer == null || peer.handshakes < mostHandshakes)
        && (prefix == null || prefix.handshakes < PER_PREFIX * (long) mostHandshakes);
  }

  /** The account of an address's network; null if there is none, or it is IPv4. */
  private PrefixAccount prefix(int address, PeerAccount peer) {
    if (peer != null) {
      return peer.prefix;
    }
    Ipv6Path path = ip.path(address);
    return path == null ? null : prefixes.get(path.remotePrefix());
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
      peer = account(address, route);
      peers.put(address, peer);
    }
    peer.connections++;
    counts.add(shared(peer));
    if (peer.prefix != null) {
      peer.prefix.connections++;
    }
    return peer;
  }

  /** What stacks count a peer's connections under; networks and addresses of IPv4 are different. */
  private static long shared(PeerAccount peer) {
    return peer.prefix == null ? peer.address : peer.prefix.prefix;
  }

  private PeerAccount account(int address, Neighbour route) {
    Ipv6Path path = ip.path(address);
    if (path == null) {
      return new PeerAccount(address, route, null, null);
    }
    ip.acquire(path);
    PrefixAccount prefix = prefixes.computeIfAbsent(path.remotePrefix(), PrefixAccount::new);
    return new PeerAccount(address, route, path, prefix);
  }

  /** A connection has ended; removes the account with the last one. */
  public void removeConnection(PeerAccount peer) {
    counts.remove(shared(peer));
    if (--peer.connections == 0) {
      peer.route.release();
      peers.remove(peer.address);
      if (peer.path != null) {
        ip.release(peer.path);
      }
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
