package org.rddp.ip;

import java.util.Optional;
import java.util.function.Consumer;
import org.rddp.group.HandOverEntry;
import org.rddp.group.StackMember;
import org.rddp.wire.Arp;

/** IPv4 of one interface: its parts, and what the rest of the stack wants of them. */
final class Ipv4Layer {
  private final ArpAnnouncement announcement;
  private final ArpExchange arp;
  private final Loop loop;
  private final Ipv4Output output;
  private final Ipv4Input input;
  private final StackMember member;
  private final IpCounters counters;
  private final int address;
  private final int mask;
  private final Optional<Ipv4Address> gateway;

  /**
   * IPv4 on a link, of which IPv6 shares what is passed.
   *
   * @param mtu octets
   */
  Ipv4Layer(
      EthernetLink link,
      Ipv4Network network,
      Loop loop,
      PathMtus pathMtus,
      Reassembly reassembly,
      HandOver handOver,
      ErrorLimit limit,
      IpCounters counters,
      TransportHandler transport,
      StackMember member,
      int mtu) {
    this.loop = loop;
    this.member = member;
    this.counters = counters;
    address = network.address().bits();
    mask = network.mask();
    gateway = network.gateway();
    announcement = new ArpAnnouncement(link, counters, address);
    arp = new ArpExchange(link, announcement, counters, address);
    output = new Ipv4Output(link, arp.neighbours(), loop, address);
    Icmpv4Errors errors = new Icmpv4Errors(output, link.pool(), counters, limit, mtu);
    Icmpv4Input icmp =
        new Icmpv4Input(output, link.pool(), pathMtus, transport, counters, address, mtu);
    input =
        new Ipv4Input(
            link.pool(), errors, icmp, reassembly, handOver, counters, transport, address, mask);
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

  /** A message of ARP was received. */
  void onArp(long message, int length, long now) {
    if (!Arp.wellFormed(message, length)) {
      counters.malformed++;
      return;
    }
    arp.onMessage(message, now);
    tellOthers(message);
  }

  /**
   * Tells the other stacks of an answer to us, which one of them may await, and of a host that
   * announces itself.
   */
  private void tellOthers(long message) {
    if (!member.isAlone()) {
      int sender = Arp.senderIp(message);
      int target = Arp.targetIp(message);
      if (sender != address && (target == address || target == sender)) {
        member.tell(
            member.entry().arp(Arp.operation(message), sender, Arp.senderMac(message), target));
      }
    }
  }

  /** What another stack has received: {@link ArpExchange#told}. */
  void told(HandOverEntry entry, long now) {
    arp.told(entry.code(), entry.remote(), entry.macAddress(), entry.sequence(), now);
  }

  /** See {@link IpLayer#route}. */
  Neighbour route(int destination) {
    if (destination == address) {
      return loop.self();
    }
    if (onLink(destination)) {
      return arp.neighbours().find(new Ipv4Address(destination));
    }
    return gateway.isPresent() ? arp.neighbours().find(gateway.get()) : null;
  }

  /** See {@link IpLayer#reaches}. */
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
}
