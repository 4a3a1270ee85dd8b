package org.rddp.ip;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ethernet;

/**
 * The MAC addresses of the hosts of a link, of one family (RFC 1122 section 2.3.2, RFC 4861 section
 * 7.3): finds them, and confirms them while they are used.
 *
 * <p>There are entries only for hosts that we send to, and they take their MAC addresses only from
 * replies to our requests. A known MAC address is confirmed by requests to itself (RFC 1122 section
 * 2.3.2.1, unicast poll): after a time of use, and when a message claims the IP address for another
 * MAC address. Only without an answer within a second is the whole link asked, and another MAC
 * address accepted. So forged messages cannot displace a host that answers.
 */
final class Neighbours {
  private static final long SECOND = 1_000_000_000L;
  private static final long ASK_AGAIN_AFTER = SECOND;
  private static final long POLL_AGAIN_AFTER = SECOND / 2;

  /** The least time between two reports of conflicts. */
  private static final long REPORT_AGAIN_AFTER = 10 * SECOND;

  /** A MAC address that was not confirmed for this time is no longer used. */
  private static final long STALE_AFTER = 600 * SECOND;

  private static final int ATTEMPTS = 3;
  private static final int POLLS = 2;
  private static final int CAPACITY = 1024;

  private final PacketPool pool;
  private final EthernetLink link;
  private final NeighbourProtocol protocol;
  private final IpCounters counters;
  private final long confirmAfter;
  private final Map<HostAddress, Neighbour> entries = new HashMap<>();
  private long nextDeadline = Long.MAX_VALUE;
  private Consumer<String> conflicts = text -> {};
  private long reportFrom = Long.MIN_VALUE;
  private long unreported;

  Neighbours(EthernetLink link, NeighbourProtocol protocol, IpCounters counters) {
    this.link = link;
    this.protocol = protocol;
    this.counters = counters;
    confirmAfter = protocol.confirmAfter();
    pool = link.pool();
  }

  /** Sets the receiver of reports about conflicts: one in ten seconds at most. */
  void reportConflictsTo(Consumer<String> receiver) {
    conflicts = receiver;
  }

  /** The entry of a host on the link, or null if the table is full of hosts in use. */
  Neighbour find(HostAddress address) {
    Neighbour found = entries.get(address);
    if (found == null && (entries.size() < CAPACITY || forgetOne())) {
      found = new Neighbour(address);
      entries.put(address, found);
    }
    return found;
  }

  private boolean forgetOne() {
    for (Iterator<Neighbour> all = entries.values().iterator(); all.hasNext(); ) {
      if (all.next().idle()) {
        all.remove();
        return true;
      }
    }
    return false;
  }

  /** Keeps a packet until the MAC address is known. Takes over the reference. */
  void hold(Neighbour neighbour, long packet, long now) {
    long dropped = neighbour.hold(packet);
    if (dropped != 0) {
      pool.release(dropped);
      counters.unresolved++;
    }
    if (neighbour.asked == 0) {
      ask(neighbour, now);
    }
  }

  /** Confirms a MAC address that is due for it, or forgets one that is too old. */
  void refresh(Neighbour neighbour, long now) {
    if (now - neighbour.confirmAt >= STALE_AFTER) {
      forgetMac(neighbour);
    } else {
      confirm(neighbour, now);
    }
  }

  /** Asks a known MAC address whether it is still right, unless that is in progress. */
  private void confirm(Neighbour neighbour, long now) {
    if (neighbour.asked == 0) {
      neighbour.polled = true;
      ask(neighbour, now);
    }
  }

  /**
   * Takes the MAC address of a host from a message.
   *
   * @param macAddress of one station
   * @param reply whether it answers a request of ours
   */
  void told(HostAddress host, long macAddress, boolean reply, long now) {
    learn(entries.get(host), macAddress, reply, now);
  }

  private void learn(Neighbour neighbour, long macAddress, boolean reply, long now) {
    if (neighbour == null) {
      return;
    }
    boolean conflict = neighbour.resolved() && neighbour.macAddress != macAddress;
    if (reply && neighbour.asked > 0 && !(neighbour.polled && conflict)) {
      neighbour.macAddress = macAddress;
      neighbour.asked = 0;
      neighbour.polled = false;
      neighbour.unreachable = false;
      neighbour.askAt = Long.MAX_VALUE;
      neighbour.confirmAt = now + confirmAfter;
      while (neighbour.pending() > 0) {
        deliver(neighbour.next(), macAddress);
      }
    } else if (conflict) {
      counters.neighbourConflicts++;
      report(neighbour, macAddress, now);
      if (now - (neighbour.confirmAt - confirmAfter) >= ASK_AGAIN_AFTER) {
        confirm(neighbour, now);
      }
    }
  }

  private void report(Neighbour neighbour, long claimed, long now) {
    unreported++;
    if (now >= reportFrom) {
      reportFrom = now + REPORT_AGAIN_AFTER;
      conflicts.accept(
          "%s: %s claims %s, which is at %s and is asked there first; %d such messages since the last report"
              .formatted(
                  protocol.name(),
                  Ethernet.text(claimed),
                  neighbour.address,
                  Ethernet.text(neighbour.macAddress),
                  unreported));
      unreported = 0;
    }
  }

  private void deliver(long packet, long macAddress) {
    if (!link.send(
        packet, pool.address(packet), pool.length(packet), macAddress, protocol.etherType())) {
      counters.unresolved++;
    }
  }

  /** Repeats requests that were not answered; returns how many entries were due. */
  int advance(long now) {
    if (now < nextDeadline) {
      return 0;
    }
    int due = 0;
    nextDeadline = Long.MAX_VALUE;
    for (Neighbour neighbour : entries.values()) {
      if (neighbour.askAt <= now) {
        due++;
        askAgain(neighbour, now);
      }
      nextDeadline = Math.min(nextDeadline, neighbour.askAt);
    }
    return due;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return nextDeadline;
  }

  private void askAgain(Neighbour neighbour, long now) {
    if (neighbour.polled && neighbour.asked == POLLS) {
      neighbour.polled = false;
      neighbour.asked = 0;
    }
    if (neighbour.asked < ATTEMPTS) {
      ask(neighbour, now);
    } else {
      forgetMac(neighbour);
      neighbour.unreachable = true;
    }
  }

  private void ask(Neighbour neighbour, long now) {
    neighbour.asked++;
    neighbour.askAt = now + (neighbour.polled ? POLL_AGAIN_AFTER : ASK_AGAIN_AFTER);
    nextDeadline = Math.min(nextDeadline, neighbour.askAt);
    protocol.ask(neighbour.address, neighbour.polled ? neighbour.macAddress : Neighbour.UNKNOWN);
  }

  private void forgetMac(Neighbour neighbour) {
    neighbour.macAddress = Neighbour.UNKNOWN;
    neighbour.asked = 0;
    neighbour.polled = false;
    neighbour.askAt = Long.MAX_VALUE;
    neighbour.confirmAt = Long.MAX_VALUE;
    drop(neighbour);
  }

  private void drop(Neighbour neighbour) {
    while (neighbour.pending() > 0) {
      pool.release(neighbour.next());
      counters.unresolved++;
    }
  }

  /** Releases the packets that wait. */
  void close() {
    for (Neighbour neighbour : entries.values()) {
      drop(neighbour);
    }
  }

  /** Transfers the hosts. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Neighbours.class);
    nextDeadline = snapshot.number("nextDeadline", nextDeadline);
    reportFrom = snapshot.number("reportFrom", reportFrom);
    unreported = snapshot.number("unreported", unreported);
    int count = snapshot.number("entries", entries.size(), 0, CAPACITY);
    Iterator<Neighbour> written = List.copyOf(entries.values()).iterator();
    for (int i = 0; i < count; i++) {
      HostAddress address =
          HostAddress.transfer(snapshot, snapshot.reads() ? null : written.next().address);
      find(address).transfer(snapshot);
    }
    snapshot.end();
  }

  /** Packets that wait for a MAC address. */
  int pending() {
    return entries.values().stream().mapToInt(Neighbour::pending).sum();
  }
}
