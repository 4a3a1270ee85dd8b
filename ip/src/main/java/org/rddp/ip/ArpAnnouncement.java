package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;

/**
 * Announces our address on the link: when we begin to use it, and when another station claims it
 * (RFC 5227).
 *
 * <p>The address was configured and connections depend on it, so it is never given up: a conflict
 * is answered as in section 2.4 (c), at most once in ten seconds.
 */
final class ArpAnnouncement {
  private static final long SECOND = 1_000_000_000L;

  /** ANNOUNCE_INTERVAL and ANNOUNCE_NUM of RFC 5227 section 1.1. */
  private static final long INTERVAL = 2 * SECOND;

  private static final int TIMES = 2;

  /** DEFEND_INTERVAL. */
  private static final long DEFEND_AFTER = 10 * SECOND;

  private final EthernetLink link;
  private final IpCounters counters;
  private final int ourAddress;
  private int left;
  private long nextAt = Long.MAX_VALUE;
  private long defendFrom = Long.MIN_VALUE;

  ArpAnnouncement(EthernetLink link, IpCounters counters, int ourAddress) {
    this.link = link;
    this.counters = counters;
    this.ourAddress = ourAddress;
  }

  /** Announces the address now and in two seconds. */
  void start(long now) {
    left = TIMES;
    nextAt = now;
    advance(now);
  }

  /** Answers another station that uses our address. */
  void defend(long now) {
    counters.addressConflicts++;
    if (now >= defendFrom) {
      defendFrom = now + DEFEND_AFTER;
      announce();
    }
  }

  /** Announces the address again if that is due; returns how many announcements were sent. */
  int advance(long now) {
    if (now < nextAt) {
      return 0;
    }
    announce();
    left--;
    nextAt = left == 0 ? Long.MAX_VALUE : now + INTERVAL;
    return 1;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return nextAt;
  }

  /** Sends a request for our own address (RFC 5227 section 2.3). */
  private void announce() {
    PacketPool pool = link.pool();
    long packet = link.room() ? pool.allocate() : 0;
    if (packet == 0) {
      counters.exhausted++;
      return;
    }
    long message = pool.address(packet);
    Arp.write(message, Arp.REQUEST, link.macAddress(), ourAddress, 0, ourAddress);
    if (link.send(packet, message, Arp.LENGTH, Ethernet.BROADCAST, Ethernet.TYPE_ARP)) {
      counters.announcements++;
    }
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ArpAnnouncement.class);
    left = snapshot.number("left", left);
    nextAt = snapshot.number("nextAt", nextAt);
    defendFrom = snapshot.number("defendFrom", defendFrom);
    snapshot.end();
  }
}
