package org.rddp.tcp.handshake;

import org.rddp.ip.Path;

/**
 * One remote address: the path to it, and counts over its connections. Connections over IPv6 count
 * for their /64 network, too, because a host may use any address in it.
 */
public final class PeerAccount {
  /** The path to the address, open while the account exists. */
  public final Path path;

  /** The account of the network; null for IPv4. */
  final PrefixAccount prefix;

  /** Connections, those in TIME-WAIT included. */
  int connections;

  /** Handshakes in progress that the peer has begun. */
  int handshakes;

  private int sent;
  private int sentTrains;
  private int early;

  PeerAccount(Path path, PrefixAccount prefix) {
    this.path = path;
    this.prefix = prefix;
  }

  /** Packets, trains apart, kept until the peer, or its network, acknowledges them. */
  public int sent() {
    return prefix == null ? sent : prefix.sent;
  }

  /** Trains kept until the peer, or its network, acknowledges them. */
  public int sentTrains() {
    return prefix == null ? sentTrains : prefix.sentTrains;
  }

  /** Packets received out of order from the peer, or its network, and kept. */
  public int early() {
    return prefix == null ? early : prefix.early;
  }

  /** Counts packets, trains apart, kept until they are acknowledged. */
  public void keepsSent(int more) {
    if (prefix == null) {
      sent += more;
    } else {
      prefix.sent += more;
    }
  }

  /** Counts trains kept until they are acknowledged. */
  public void keepsTrains(int more) {
    if (prefix == null) {
      sentTrains += more;
    } else {
      prefix.sentTrains += more;
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

  /** Counts a handshake that the peer has begun. */
  public void beginHandshake() {
    handshakes++;
    if (prefix != null) {
      prefix.handshakes++;
    }
  }

  /** Counts the end of a handshake that the peer had begun. */
  public void endHandshake() {
    handshakes--;
    if (prefix != null) {
      prefix.handshakes--;
    }
  }
}
