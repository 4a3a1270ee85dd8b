package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Mldv2;

/**
 * Reports the solicited-node groups of our addresses (RFC 3810), twice at the start, and when a
 * router asks. Otherwise switches with MLD snooping would not forward these groups to us.
 */
final class ListenerReports {
  /** Robustness Variable and Unsolicited Report Interval of RFC 3810 section 9. */
  private static final int TIMES = 2;

  private static final long INTERVAL = 1_000_000_000L;

  private final PacketPool pool;
  private final LocalAddresses addresses;
  private final Ipv6Output output;
  private final IpCounters counters;
  private int left;
  private long nextAt = Long.MAX_VALUE;

  ListenerReports(
      PacketPool pool, LocalAddresses addresses, Ipv6Output output, IpCounters counters) {
    this.pool = pool;
    this.addresses = addresses;
    this.output = output;
    this.counters = counters;
  }

  /** Reports the groups now and in a second. */
  void start(long now) {
    left = TIMES;
    nextAt = now;
    advance(now);
  }

  /** Reports the groups to a router that asks. */
  void onQuery() {
    report(Mldv2.IS_EXCLUDE);
  }

  /** Reports the groups again if that is due; returns how many reports were sent. */
  int advance(long now) {
    if (now < nextAt) {
      return 0;
    }
    report(Mldv2.TO_EXCLUDE);
    left--;
    nextAt = left == 0 ? Long.MAX_VALUE : now + INTERVAL;
    return 1;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return nextAt;
  }

  private void report(int type) {
    long packet = output.allocate();
    if (packet == 0) {
      return;
    }
    long options = pool.address(packet);
    Mldv2.putRouterAlert(options);
    long message = options + Mldv2.ROUTER_ALERT_LENGTH;
    Mldv2.write(message, LocalAddresses.COUNT);
    for (int i = 0; i < LocalAddresses.COUNT; i++) {
      Ipv6Address group = addresses.get(i).solicitedNode();
      Mldv2.putRecord(message, i, type, group.high(), group.low());
    }
    // RFC 3590: the source is :: while no address is usable.
    boolean usable = addresses.usable(LocalAddresses.LINK_LOCAL);
    Ipv6Address source =
        usable ? addresses.get(LocalAddresses.LINK_LOCAL) : Ipv6Address.UNSPECIFIED;
    output.send(
        packet,
        message,
        Mldv2.length(LocalAddresses.COUNT),
        Mldv2.ROUTER_ALERT_LENGTH,
        1,
        source,
        Ipv6Address.MLD_ROUTERS,
        Ethernet.ipv6Group(Ipv6Address.MLD_ROUTERS.low()));
    counters.listenerReports++;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ListenerReports.class);
    left = snapshot.number("left", left);
    nextAt = snapshot.number("nextAt", nextAt);
    snapshot.end();
  }
}
