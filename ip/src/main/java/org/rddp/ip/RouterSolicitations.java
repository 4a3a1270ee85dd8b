package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ndp;

/**
 * Asks the link for routers until one answers (RFC 4861 section 6.3.7), at intervals that double up
 * to an hour (RFC 7559 section 2). The first stack of an interface asks for all; another stack,
 * which may have begun later, asks only if it learns of no router that way.
 */
final class RouterSolicitations {
  private static final long SECOND = 1_000_000_000L;

  /** RTR_SOLICITATION_INTERVAL. */
  private static final long FIRST_INTERVAL = 4 * SECOND;

  private static final long LONGEST_INTERVAL = 3600 * SECOND;

  private final PacketPool pool;
  private final EthernetLink link;
  private final LocalAddresses addresses;
  private final Ipv6Output output;
  private final IpCounters counters;
  private final long delay;
  private long interval;
  private long nextAt = Long.MAX_VALUE;

  /**
   * Creates an instance; {@link #start} begins to ask.
   *
   * @param first whether this stack asks for all of its interface
   */
  RouterSolicitations(
      EthernetLink link,
      LocalAddresses addresses,
      Ipv6Output output,
      IpCounters counters,
      boolean first) {
    this.link = link;
    this.addresses = addresses;
    this.output = output;
    this.counters = counters;
    pool = link.pool();
    // DAD takes a second; the rest differs from host to host (RFC 4861 section 6.3.7).
    long own = addresses.get(LocalAddresses.LINK_LOCAL).low();
    delay = SECOND + Long.remainderUnsigned(own, SECOND) + (first ? 0 : FIRST_INTERVAL);
  }

  /** Begins to ask, up to a second after our addresses have been checked. */
  void start(long now) {
    interval = FIRST_INTERVAL;
    nextAt = now + delay;
  }

  /** Stops asking, after a router has answered. */
  void stop() {
    nextAt = Long.MAX_VALUE;
  }

  /** Asks if that is due; returns how many solicitations were sent. */
  int advance(long now) {
    if (now < nextAt) {
      return 0;
    }
    ask();
    nextAt = now + interval;
    interval = Math.min(2 * interval, LONGEST_INTERVAL);
    return 1;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return nextAt;
  }

  private void ask() {
    long packet = output.allocate();
    if (packet == 0) {
      return;
    }
    long message = pool.address(packet);
    int length = Ndp.writeRouterSolicitation(message, link.macAddress());
    Ipv6Address source = addresses.get(LocalAddresses.LINK_LOCAL);
    if (!addresses.usable(LocalAddresses.LINK_LOCAL)) {
      // Section 4.1: no option with the MAC address if the source is ::.
      source = Ipv6Address.UNSPECIFIED;
      length = Ndp.ROUTER_SOLICITATION;
    }
    long to = Ethernet.ipv6Group(Ipv6Address.ALL_ROUTERS.low());
    output.send(packet, message, length, 0, Ipv6.ON_LINK_HOPS, source, Ipv6Address.ALL_ROUTERS, to);
    counters.routerSolicitations++;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(RouterSolicitations.class);
    interval = snapshot.number("interval", interval);
    nextAt = snapshot.number("nextAt", nextAt);
    snapshot.end();
  }
}
