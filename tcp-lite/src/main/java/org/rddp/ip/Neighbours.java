package org.rddp.ip;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import org.rddp.device.PacketPool;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;

/**
 * The ARP cache (RFC 826, RFC 1122 section 2.3.2): finds MAC addresses, confirms them while they
 * are used, and answers requests for ours.
 *
 * <p>There are entries only for hosts that we send to, and they take their MAC addresses only from
 * replies to our requests. A known MAC address is confirmed by requests to itself (RFC 1122 section
 * 2.3.2.1, unicast poll): after a minute of use, and when a message claims the IP address for
 * another MAC address. Only if no answer comes from there within a second is the link asked, and
 * another MAC address accepted. So whoever forges ARP messages cannot displace a host that answers.
 */
final class Neighbours {
  private static final long SECOND = 1_000_000_000L;
  private static final long CONFIRM_AFTER = 60 * SECOND;
  private static final long ASK_AGAIN_AFTER = SECOND;
  private static final long POLL_AGAIN_AFTER = SECOND / 2;

  /** At least this time is between two reports of conflicts. */
  private static final long REPORT_AGAIN_AFTER = 10 * SECOND;

  /** A MAC address that was not confirmed for so long is not used any more. */
  private static final long STALE_AFTER = 600 * SECOND;

  private static final int ATTEMPTS = 3;
  private static final int POLLS = 2;
  private static final int CAPACITY = 1024;

  private final PacketPool pool;
  private final EthernetLink link;
  private final Announcement announcement;
  private final IpCounters counters;
  private final int ourAddress;
  private final Map<Integer, Neighbour> entries = new HashMap<>();
  private long nextDeadline = Long.MAX_VALUE;
  private Consumer<String> conflicts = text -> {};
  private long reportFrom = Long.MIN_VALUE;
  private long unreported;

  Neighbours(EthernetLink link, Announcement announcement, IpCounters counters, int ourAddress) {
    this.link = link;
    this.announcement = announcement;
    this.counters = counters;
    this.ourAddress = ourAddress;
    pool = link.pool();
  }

  /** Sets the receiver of reports about conflicts: one in ten seconds at most. */
  void reportConflictsTo(Consumer<String> receiver) {
    conflicts = receiver;
  }

  /** The entry of a host on the link, or null if the table is full of hosts in use. */
  Neighbour find(int address) {
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

  /** Handles a well-formed ARP message. */
  void onMessage(long message, long now) {
    int sender = Arp.senderIp(message);
    long senderMac = Arp.senderMac(message);
    if (sender == ourAddress) {
      if (senderMac != link.macAddress()) {
        announcement.defend(now);
      }
      return;
    }
    boolean forUs = Arp.targetIp(message) == ourAddress;
    told(Arp.operation(message), sender, senderMac, Arp.targetIp(message), now);
    if (forUs && Arp.operation(message) == Arp.REQUEST) {
      if (send(Arp.REPLY, senderMac, senderMac, sender)) {
        counters.arpReplies++;
      }
    }
  }

  /** Another host's message that was received here, or by another stack, which answers it. */
  void told(int operation, int sender, long senderMac, int target, long now) {
    if (Ethernet.unicast(senderMac)) {
      boolean reply = target == ourAddress && operation == Arp.REPLY;
      learn(entries.get(sender), senderMac, reply, now);
    }
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
      neighbour.askAt = Long.MAX_VALUE;
      neighbour.confirmAt = now + CONFIRM_AFTER;
      while (neighbour.pending() > 0) {
        deliver(neighbour.next(), macAddress);
      }
    } else if (conflict) {
      counters.neighbourConflicts++;
      report(neighbour, macAddress, now);
      if (now - (neighbour.confirmAt - CONFIRM_AFTER) >= ASK_AGAIN_AFTER) {
        confirm(neighbour, now);
      }
    }
  }

  private void report(Neighbour neighbour, long claimed, long now) {
    unreported++;
    if (now >= reportFrom) {
      reportFrom = now + REPORT_AGAIN_AFTER;
      conflicts.accept(
          "ARP: %s claims %s, which is at %s and is asked there first; %d such messages since the last report"
              .formatted(
                  Ethernet.text(claimed),
                  new Ipv4Address(neighbour.address),
                  Ethernet.text(neighbour.macAddress),
                  unreported));
      unreported = 0;
    }
  }

  private void deliver(long packet, long macAddress) {
    if (!link.send(
        packet, pool.address(packet), pool.length(packet), macAddress, Ethernet.TYPE_IPV4)) {
      counters.unresolved++;
    }
  }

  /** Repeats requests without an answer; returns how many entries were due. */
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
    }
  }

  private void ask(Neighbour neighbour, long now) {
    neighbour.asked++;
    neighbour.askAt = now + (neighbour.polled ? POLL_AGAIN_AFTER : ASK_AGAIN_AFTER);
    nextDeadline = Math.min(nextDeadline, neighbour.askAt);
    long destination = neighbour.polled ? neighbour.macAddress : Ethernet.BROADCAST;
    if (send(Arp.REQUEST, destination, 0, neighbour.address)) {
      counters.arpRequests++;
    }
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

  private boolean send(int operation, long destination, long targetMac, int target) {
    long packet = link.room() ? pool.allocate() : 0;
    if (packet == 0) {
      counters.exhausted++;
      return false;
    }
    long message = pool.address(packet);
    Arp.write(message, operation, link.macAddress(), ourAddress, targetMac, target);
    return link.send(packet, message, Arp.LENGTH, destination, Ethernet.TYPE_ARP);
  }

  /** Releases the packets that wait. */
  void close() {
    for (Neighbour neighbour : entries.values()) {
      drop(neighbour);
    }
  }
}
