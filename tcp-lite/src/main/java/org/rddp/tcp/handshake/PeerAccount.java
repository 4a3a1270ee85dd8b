package org.rddp.tcp.handshake;

import org.rddp.ip.Ipv6Path;
import org.rddp.ip.Neighbour;

/**
 * One remote address: the next hop, and counts over all of its connections. Those of IPv6 count for
 * their network of 64 bits, too, because a host may have any address of it.
 */
public final class PeerAccount {
  /** The next hop to the address. */
  public final Neighbour route;

  /** What the address means; null if it is one of IPv4. */
  public final Ipv6Path path;

  /** The account of the network; null for IPv4. */
  final PrefixAccount prefix;

  /** The address, or the number of its path. */
  final int address;

  /** Connections, those in TIME-WAIT included. */
  int connections;

  /** Handshakes in progress that the peer has begun. */
  int handshakes;

  private int sent;
  private int early;

  PeerAccount(int address, Neighbour route, Ipv6Path path, PrefixAccount prefix) {
    this.address = address;
    this.route = route;
    this.path = path;
    this.prefix = prefix;
  }

  /** Packets kept until the peer, or its network, acknowledges them. */
  public int sent() {
    return prefix == null ? sent : prefix.sent;
  }

  /** Packets received out of order from the peer, or its network, and kept. */
  public int early() {
    return prefix == null ? early : prefix.early;
  }

  /** Counts packets kept until they are acknowledged. */
  public void keepsSent(int more) {
    if (prefix == null) {
      sent += more;
    } else {
      prefix.sent += more;
    }
  }

  /** Counts packets received out of order and kept. */
  public void keepsEarly(int more) {
    if (prefix == null) {
      early += more;
    } else {
      prefix.early += more;
    }
  }

  /** The peer has begun a handshake. */
  public void beginHandshake() {
    handshakes++;
    if (prefix != null) {
      prefix.handshakes++;
    }
  }

  /** A handshake that the peer had begun is over. */
  public void endHandshake() {
    handshakes--;
    if (prefix != null) {
      prefix.handshakes--;
    }
  }
}
