package org.rddp.tcp.handshake;

import org.rddp.ip.Path;

/**
 * One remote address: the way to it, and counts over all of its connections. Those of IPv6 count
 * for their network of 64 bits, too, because a host may have any address of it.
 */
public final class PeerAccount {
  /** The way to the address, open as long as there is the account. */
  public final Path path;

  /** The account of the network; null for IPv4. */
  final PrefixAccount prefix;

  /** Connections, those in TIME-WAIT included. */
  int connections;

  /** Handshakes in progress that the peer has begun. */
  int handshakes;

  private int sent;
  private int early;

  PeerAccount(Path path, PrefixAccount prefix) {
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
