package org.rddp.ip;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.StackMember;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Arp;

/** IPv4 of one interface: connects its parts with the rest of the stack. */
final class Ipv4Layer {
  private static final int RECENT_BITS = 8;

  private final IpContext context;
  private final ArpAnnouncement announcement;
  private final ArpExchange arp;
  private final Ipv4Output output;
  private final Ipv4Input input;
  private final int address;
  private final int mask;
  private final Optional<Ipv4Address> gateway;

  /** The paths that are kept, by remote address. */
  private final Map<Integer, Ipv4Path> paths = new HashMap<>();

  /** Paths looked up recently, so that segments for other stacks allocate nothing. */
  private final Ipv4Path[] recent = new Ipv4Path[1 << RECENT_BITS];

  Ipv4Layer(IpContext context, Ipv4Network network) {
    this.context = context;
    address = network.address().bits();
    mask = network.mask();
    gateway = network.gateway();
    announcement = new ArpAnnouncement(context.link, context.counters, address);
    arp = new ArpExchange(context.link, announcement, context.counters, address);
    output = new Ipv4Output(context.link, arp.neighbours(), context.loop, address);
    Icmpv4Errors errors = new Icmpv4Errors(context, output);
    input = new Ipv4Input(context, errors, new Icmpv4Input(context, this), address, mask);
  }

  /** The receiver of packets. */
  Ipv4Input input() {
    return input;
  }

  /** The sender of packets. */
  Ipv4Output output() {
    return output;
  }

  /** Our address. */
  int address() {
    return address;
  }

  /** See {@link IpLayer#reportTo}. */
  void reportTo(Consumer<String> receiver) {
    arp.neighbours().reportConflictsTo(receiver);
  }

  /** Handles a received ARP message. */
  void onArp(long message, int length, long now) {
    if (!Arp.wellFormed(message, length)) {
      context.counters.malformed++;
      return;
    }
    arp.onMessage(message, now);
    tellOthers(message);
  }

  /**
   * Passes answers to us, which another stack may await, and announcements of hosts to the other
   * stacks.
   */
  private void tellOthers(long message) {
    StackMember member = context.member;
    if (!member.isAlone()) {
      int sender = Arp.senderIp(message);
      int target = Arp.targetIp(message);
      if (sender != address && (target == address || target == sender)) {
        HandOverEntry entry = member.entry(Kind.ARP);
        entry.code = Arp.operation(message);
        entry.remote = sender;
        entry.macAddress = Arp.senderMac(message);
        entry.target = target;
        member.tell(entry);
      }
    }
  }

  /** Handles an ARP message that another stack has received: {@link ArpExchange#told}. */
  void told(HandOverEntry entry, long now) {
    arp.told(entry.code, entry.remote, entry.macAddress, (int) entry.target, now);
  }

  /** The path to a remote address: the kept one, or else a new one. */
  Ipv4Path path(int remote) {
    int slot = (remote * 0x9e3779b9) >>> (Integer.SIZE - RECENT_BITS);
    Ipv4Path path = recent[slot];
    if (path == null || path.number() != remote) {
      path = paths.get(remote);
      if (path == null) {
        path = new Ipv4Path(context, this, remote);
      }
      recent[slot] = path;
    }
    return path;
  }

  /** Keeps a path that has got its first user. */
  void keep(Ipv4Path path) {
    paths.put(path.number(), path);
  }

  /** Removes a path that has lost its last user. */
  void forget(Ipv4Path path) {
    paths.remove(path.number());
  }

  /** See {@link Path#route}. */
  Neighbour route(Ipv4Path path) {
    if (path.toUs()) {
      return context.loop.self();
    }
    if (onLink(path.number())) {
      return arp.neighbours().find(new Ipv4Address(path.number()));
    }
    return gateway.isPresent() ? arp.neighbours().find(gateway.get()) : null;
  }

  /** See {@link Path#reaches}. */
  boolean reaches(int destination) {
    return onLink(destination) || gateway.isPresent();
  }

  private boolean onLink(int other) {
    return ((other ^ address) & mask) == 0;
  }

  /** Announces our address. */
  void announce(long now) {
    announcement.start(now);
  }

  /** Runs the timers that are due; returns how many fired. */
  int advance(long now) {
    return arp.neighbours().advance(now) + announcement.advance(now);
  }

  /** When the next timer is due. */
  long nextDeadline() {
    return Math.min(arp.neighbours().nextDeadline(), announcement.nextDeadline());
  }

  /** Releases the packets that wait. */
  void close() {
    arp.neighbours().close();
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    arp.neighbours().transfer(snapshot);
    announcement.transfer(snapshot);
  }

  /** Packets that wait for a MAC address. */
  int pending() {
    return arp.neighbours().pending();
  }
}
