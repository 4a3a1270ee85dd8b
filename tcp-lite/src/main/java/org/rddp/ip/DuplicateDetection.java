package org.rddp.ip;

/**
 * Finds out whether another host has one of our addresses before it is used (RFC 4862 section 5.4),
 * and defends it from then on, as {@link Announcement} does for IPv4.
 *
 * <p>An address that another host has is not used until the link has gone down and come up.
 */
final class DuplicateDetection {
  private static final long SECOND = 1_000_000_000L;

  /** RETRANS_TIMER: how long an answer is waited for, and between announcements. */
  private static final long WAIT = SECOND;

  /** At least this time is between two answers to hosts that claim an address of ours. */
  private static final long DEFEND_AFTER = 10 * SECOND;

  private static final int ANNOUNCEMENTS = 2;

  private final NeighbourDiscovery discovery;
  private final LocalAddresses addresses;
  private final IpCounters counters;

  /** Whether the address is being checked. */
  private final boolean[] checking = new boolean[LocalAddresses.COUNT];

  private final boolean[] duplicate = new boolean[LocalAddresses.COUNT];
  private final int[] announcements = new int[LocalAddresses.COUNT];
  private final long[] nextAt = {Long.MAX_VALUE, Long.MAX_VALUE};
  private long defendFrom = Long.MIN_VALUE;

  DuplicateDetection(NeighbourDiscovery discovery, LocalAddresses addresses, IpCounters counters) {
    this.discovery = discovery;
    this.addresses = addresses;
    this.counters = counters;
  }

  /** Begins to check every address, none of which is in use. */
  void start(long now) {
    for (int i = 0; i < LocalAddresses.COUNT; i++) {
      checking[i] = true;
      duplicate[i] = false;
      discovery.probe(i);
      nextAt[i] = now + WAIT;
    }
  }

  /** Another host has, or wants to have, one of our addresses. */
  void claimed(int index, long now) {
    counters.addressConflicts++;
    if (checking[index]) {
      checking[index] = false;
      duplicate[index] = true;
      nextAt[index] = Long.MAX_VALUE;
    } else if (!duplicate[index] && now >= defendFrom) {
      defendFrom = now + DEFEND_AFTER;
      discovery.announce(index);
    }
  }

  /** Takes addresses into use, and announces them; returns how many timers were due. */
  int advance(long now) {
    int due = 0;
    for (int i = 0; i < LocalAddresses.COUNT; i++) {
      if (now >= nextAt[i]) {
        due++;
        advance(i, now);
      }
    }
    return due;
  }

  private void advance(int index, long now) {
    if (checking[index]) {
      checking[index] = false;
      addresses.use(index, true);
      announcements[index] = ANNOUNCEMENTS;
    }
    discovery.announce(index);
    announcements[index]--;
    nextAt[index] = announcements[index] == 0 ? Long.MAX_VALUE : now + WAIT;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return Math.min(nextAt[LocalAddresses.GLOBAL], nextAt[LocalAddresses.LINK_LOCAL]);
  }
}
