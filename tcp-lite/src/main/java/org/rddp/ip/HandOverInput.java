package org.rddp.ip;

/** Processes what other stacks of the interface have handed over. */
final class HandOverInput {
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

  /** Processes one entry. The parameters: {@link StackMember#passOn}. */
  void process(
      int kind,
      int from,
      int code,
      int length,
      long a,
      long b,
      int sender,
      long mac,
      long high,
      long low,
      long now) {
    handOver.from(from, kind == StackMember.QUIET_SEGMENT);
    try {
      switch (kind) {
        case StackMember.SEGMENT, StackMember.QUIET_SEGMENT -> {
          counters.handedOverIn++;
          try {
            transport.onDatagram(remote(sender, high, low), mac, code, b, length, a);
          } finally {
            handOver.done(a);
          }
        }
        case StackMember.UNREACHABLE -> {
          int remote = remote(sender, high, low);
          transport.onUnreachable(code, remote, (int) a >>> 16, (int) a & 0xffff, (int) b);
        }
        case StackMember.TOO_BIG -> {
          int remote = remote(sender, high, low);
          transport.onTooBig(remote, length, (int) a >>> 16, (int) a & 0xffff, (int) b);
        }
        case StackMember.ARP -> ipv4.told(code, sender, a, (int) b, now);
        case StackMember.ADVERTISEMENT -> ipv6.discovery().told(high, low, a, b != 0, now);
        case StackMember.CLAIM -> ipv6.discovery().claimed(code, a, b != 0, now);
        case StackMember.ROUTER -> ipv6.routes().heard(high, low, (int) a, (int) b, now);
        case StackMember.REDIRECT -> ipv6.routes().redirected(high, low, a, b, code != 0);
        default -> {
          int remote = remote(sender, high, low);
          pathMtus.lower(remote, (int) a, now);
          transport.onPathMtu(remote, pathMtus.get(remote));
        }
      }
    } finally {
      handOver.from(StackMember.HERE, false);
    }
  }

  /** The number that a remote address has here. */
  private int remote(int sender, long high, long low) {
    return IpLayer.isIpv6(sender) ? paths.get(high, low, sender).number : sender;
  }
}
