package org.rddp.ip;

import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.HandOverHandler;
import org.rddp.group.StackMember;

/** Processes what other stacks of the interface have handed over. */
final class HandOverInput implements HandOverHandler {
  private final IpContext context;
  private final Ipv4Layer ipv4;
  private final Ipv6Layer ipv6;

  /**
   * Creates the input of one stack.
   *
   * @param ipv4 null without IPv4
   * @param ipv6 null without IPv6
   */
  HandOverInput(IpContext context, Ipv4Layer ipv4, Ipv6Layer ipv6) {
    this.context = context;
    this.ipv4 = ipv4;
    this.ipv6 = ipv6;
  }

  @Override
  public void process(HandOverEntry entry, long now) {
    TransportHandler transport = context.transport;
    // What is in a sealed packet has not been looked at, and any stack may have its connection.
    int origin = entry.kind == Kind.SEALED ? StackMember.HERE : entry.origin;
    context.handOver.from(origin, entry.kind == Kind.QUIET_SEGMENT);
    try {
      switch (entry.kind) {
        case SEGMENT, QUIET_SEGMENT -> segment(entry);
        case SEALED -> sealed(entry, now);
        case UNREACHABLE ->
            transport.onUnreachable(
                entry.length, path(entry), entry.localPort, entry.remotePort, entry.sequence);
        case TOO_BIG ->
            transport.onTooBig(
                path(entry), entry.length, entry.localPort, entry.remotePort, entry.sequence);
        case ARP -> ipv4.told(entry, now);
        case PATH_MTU -> {
          Path path = path(entry);
          context.pathMtus.lower(path, entry.length, now);
          transport.onPathMtu(path);
        }
        case ADVERTISEMENT ->
            ipv6.discovery().told(entry.high, entry.low, entry.macAddress, entry.flag, now);
        case ROUTER -> ipv6.routes().heard(entry.high, entry.low, entry.code, entry.length, now);
        case REDIRECT ->
            ipv6.routes().redirected(entry.high, entry.low, entry.target, entry.router, entry.flag);
        case CLAIM -> ipv6.discovery().claimed(entry.code, entry.macAddress, entry.flag, now);
      }
    } finally {
      context.handOver.from(StackMember.HERE, false);
    }
  }

  private void segment(HandOverEntry entry) {
    context.counters.handedOverIn++;
    long packet = entry.packet;
    int remote = entry.remote;
    int source = Path.isIpv6(remote) ? path(entry).number() : remote;
    try {
      // The stack that received it has checked its checksum.
      context.transport.onDatagram(
          source, 0, entry.macAddress, entry.code, entry.header, entry.length, packet);
    } finally {
      context.handOver.done(packet);
    }
  }

  private void sealed(HandOverEntry entry, long now) {
    context.counters.handedOverIn++;
    int remote = entry.remote;
    long packet = entry.packet;
    try {
      if (Path.isIpv6(remote)) {
        ipv6.input()
            .sealed(
                ipv6.paths().get(entry.high, entry.low, remote),
                entry.macAddress,
                entry.code,
                entry.header,
                entry.length,
                packet,
                now);
      } else {
        ipv4.input()
            .sealed(remote, entry.macAddress, entry.code, entry.header, entry.length, packet, now);
      }
    } finally {
      context.handOver.done(packet);
    }
  }

  /** The path that a remote address has here. */
  private Path path(HandOverEntry entry) {
    int remote = entry.remote;
    return Path.isIpv6(remote)
        ? ipv6.paths().get(entry.high, entry.low, remote)
        : ipv4.path(remote);
  }
}
