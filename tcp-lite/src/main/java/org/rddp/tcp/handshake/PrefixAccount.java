package org.rddp.tcp.handshake;

/** One remote /64 network of IPv6: counts over the connections with all of its hosts. */
final class PrefixAccount {
  final long prefix;
  int connections;
  int handshakes;
  int sent;
  int sentTrains;
  int early;

  PrefixAccount(long prefix) {
    this.prefix = prefix;
  }
}
