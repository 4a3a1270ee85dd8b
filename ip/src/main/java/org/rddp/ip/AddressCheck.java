package org.rddp.ip;

import java.util.function.Consumer;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ethernet;

/**
 * Checks that no other host has one of our addresses before it is used (RFC 4862 section 5.4), and
 * defends it from then on, as {@link ArpAnnouncement} does for IPv4.
 *
 * <p>An address that another host seems to have is checked again after a second or two, then at
 * intervals that double up to some minutes. So forged messages block an address only while they
 * keep coming, and the interface need not be restarted when the other host is gone. These later
 * checks send three probes, so that lost messages do not make us take the address of a host that
 * still has it.
 *
 * <p>Probes that come back to us are recognised by our MAC address, not by a nonce (RFC 7527).
 */
final class AddressCheck {
  private static final long SECOND = 1_000_000_000L;

  /** RETRANS_TIMER: the time to wait for an answer, and between announcements. */
  private static final long WAIT = SECOND;

  /** The least time between two answers to claims, and between two reports of them. */
  private static final long DEFEND_AFTER = 10 * SECOND;

  private static final long LONGEST_PAUSE = 256 * SECOND;
  private static final int PROBES_AGAIN = 3;
  private static final int ANNOUNCEMENTS = 2;

  private final NeighbourDiscovery discovery;
  private final LocalAddresses addresses;
  private final int index;
  private final IpCounters counters;

  /** Probes left to send before the address is used. */
  private int probes;

  /** Announcements left to send. */
  private int announcements;

  /** The time until the next check; 0 if the last check found no other host. */
  private long pause;

  /** Whether the address is being checked. */
  private boolean checking;

  private long nextAt = Long.MAX_VALUE;
  private long defendFrom = Long.MIN_VALUE;
  private Consumer<String> reports = text -> {};

  /**
   * Creates a check; {@link #start} starts it.
   *
   * @param index of the address
   */
  AddressCheck(
      NeighbourDiscovery discovery, LocalAddresses addresses, int index, IpCounters counters) {
    this.discovery = discovery;
    this.addresses = addresses;
    this.index = index;
    this.counters = counters;
  }

  /** Sets the receiver of lines about other hosts that have, or claim, the address. */
  void reportTo(Consumer<String> receiver) {
    reports = receiver;
  }

  /** Begins to check the address, which is not in use. */
  void start(long now) {
    begin(1, now);
  }

  private void begin(int count, long now) {
    checking = true;
    probes = count;
    probe(now);
  }

  private void probe(long now) {
    probes--;
    discovery.probe(index);
    nextAt = now + WAIT;
  }

  /**
   * Handles a message of another host that has, or wants to have, the address.
   *
   * @param macAddress of that host
   * @param probe whether the message is a probe, which is always answered
   */
  void claimed(long macAddress, boolean probe, long now) {
    counters.addressConflicts++;
    if (checking) {
      checking = false;
      if (pause == 0) {
        counters.addressDuplicates++;
      }
      pause = Math.clamp(2 * pause, SECOND, LONGEST_PAUSE);
      // Hosts that have begun at the same time must not repeat their checks at the same time.
      long own = addresses.get(LocalAddresses.LINK_LOCAL).low();
      long until = pause + Long.remainderUnsigned(own, pause);
      nextAt = now + until;
      reports.accept(
          "ALARM: duplicate address %s: %s has it, or says so; it is not used, and checked again in %d s"
              .formatted(addresses.get(index), Ethernet.text(macAddress), until / SECOND));
    } else if (addresses.usable(index)) {
      defend(macAddress, probe, now);
    }
  }

  private void defend(long macAddress, boolean probe, long now) {
    boolean due = now >= defendFrom;
    if (due || probe) {
      discovery.announce(index);
    }
    if (due) {
      defendFrom = now + DEFEND_AFTER;
      reports.accept(
          "ND: %s claims %s, which is ours and stays in use"
              .formatted(Ethernet.text(macAddress), addresses.get(index)));
    }
  }

  /** Sends what is due; returns how many timers fired. */
  int advance(long now) {
    if (now < nextAt) {
      return 0;
    }
    if (checking) {
      waited(now);
    } else if (addresses.usable(index)) {
      announce(now);
    } else {
      begin(PROBES_AGAIN, now);
    }
    return 1;
  }

  /** Continues after a time without an answer. */
  private void waited(long now) {
    if (probes > 0) {
      probe(now);
      return;
    }
    checking = false;
    addresses.use(index);
    announcements = ANNOUNCEMENTS;
    announce(now);
    if (pause > 0) {
      pause = 0;
      counters.addressDuplicates--;
      reports.accept("%s is used now: nobody else has it".formatted(addresses.get(index)));
    }
  }

  private void announce(long now) {
    discovery.announce(index);
    announcements--;
    nextAt = announcements == 0 ? Long.MAX_VALUE : now + WAIT;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return nextAt;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(AddressCheck.class);
    probes = snapshot.number("probes", probes);
    announcements = snapshot.number("announcements", announcements);
    pause = snapshot.number("pause", pause);
    checking = snapshot.flag("checking", checking);
    nextAt = snapshot.number("nextAt", nextAt);
    defendFrom = snapshot.number("defendFrom", defendFrom);
    snapshot.end();
  }
}
