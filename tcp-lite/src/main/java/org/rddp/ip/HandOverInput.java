package org.rddp.ip;

import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.HandOverHandler;
import org.rddp.group.StackMember;

/** Processes what other stacks of the interface have handed over. */
final class HandOverInput implements HandOverHandler {
  private final HandOver handOver;
  private final TransportHandler transport;
  private final Ipv4Layer ipv4;
  private final Ipv6Layer ipv6;
  private final Ipv6Paths paths;
  private final PathMtus pathMtus;
  private final IpCounters counters;

  /**
   * The parts of one stack.
   *
   * @param ipv4 null without IPv4
   * @param ipv6 null without IPv6, as are the paths
   */
  HandOverInput(
      HandOver handOver,
      TransportHandler transport,
      Ipv4Layer ipv4,
      Ipv6Layer ipv6,
      Ipv6Paths paths,
      PathMtus pathMtus,
      IpCounters counters) {
    this.handOver = handOver;
    this.transport = transport;
    this.ipv4 = ipv4;
    this.ipv6 = ipv6;
    this.paths = paths;
    this.pathMtus = pathMtus;
    this.counters = counters;
  }

  @Override
  public void process(HandOverEntry entry, long now) {
    handOver.from(entry.origin(), entry.kind() == Kind.QUIET_SEGMENT);
    try {
      switch (entry.kind()) {
        case SEGMENT, QUIET_SEGMENT -> segment(entry);
        case UNREACHABLE ->
            transport.onUnreachable(
                entry.length(),
                remote(entry),
                entry.localPort(),
                entry.remotePort(),
                entry.sequence());
        case TOO_BIG ->
            transport.onTooBig(
                remote(entry),
                entry.length(),
                entry.localPort(),
                entry.remotePort(),
                entry.sequence());
        case ARP -> ipv4.told(entry, now);
        case PATH_MTU -> {
          int remote = remote(entry);
          pathMtus.lower(remote, entry.length(), now);
          transport.onPathMtu(remote, pathMtus.get(remote));
        }
        case ADVERTISEMENT ->
            ipv6.discovery().told(entry.high(), entry.low(), entry.macAddress(), entry.flag(), now);
        case ROUTER ->
            ipv6.routes().heard(entry.high(), entry.low(), entry.code(), entry.length(), now);
        case REDIRECT ->
            ipv6.routes()
                .redirected(
                    entry.high(), entry.low(), entry.target(), entry.router(), entry.flag());
        case CLAIM -> ipv6.discovery().claimed(entry.code(), entry.macAddress(), entry.flag(), now);
      }
    } finally {
      handOver.from(StackMember.HERE, false);
    }
  }

  private void segment(HandOverEntry entry) {
    counters.handedOverIn++;
    long packet = entry.packet();
    try {
      transport.onDatagram(
          remote(entry), entry.macAddress(), entry.code(), entry.header(), entry.length(), packet);
    } finally {
      handOver.done(packet);
    }
  }

  /** The number that a remote address has here. */
  private int remote(HandOverEntry entry) {
    int remote = entry.remote();
    return IpLayer.isIpv6(remote) ? paths.get(entry.high(), entry.low(), remote).number : remote;
  }
}
