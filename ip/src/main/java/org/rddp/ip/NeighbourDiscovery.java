package org.rddp.ip;

import java.util.function.Consumer;
import org.rddp.device.PacketPool;
import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.StackMember;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ndp;

/**
 * Neighbour Discovery (RFC 4861): asks for neighbours and answers solicitations for our addresses.
 * Messages count only with hop limit 255, which hosts beyond the link cannot send.
 *
 * <p>As with ARP, there are entries only for hosts that we send to; an answer goes to the MAC
 * address of the solicitation and needs no entry. So a host that solicits from many addresses
 * cannot fill memory (RFC 6583).
 */
final class NeighbourDiscovery implements NeighbourProtocol {
  /** REACHABLE_TIME of RFC 4861 section 10. */
  private static final long REACHABLE = 30 * 1_000_000_000L;

  private final PacketPool pool;
  private final EthernetLink link;
  private final LocalAddresses addresses;
  private final Ipv6Output output;
  private final IpCounters counters;
  private final StackMember member;
  private final AddressCheck[] checks = new AddressCheck[LocalAddresses.COUNT];
  private final Neighbours neighbours;

  NeighbourDiscovery(
      EthernetLink link,
      LocalAddresses addresses,
      Ipv6Output output,
      IpCounters counters,
      StackMember member) {
    this.link = link;
    this.addresses = addresses;
    this.output = output;
    this.counters = counters;
    this.member = member;
    pool = link.pool();
    for (int i = 0; i < checks.length; i++) {
      checks[i] = new AddressCheck(this, addresses, i, counters);
    }
    neighbours = new Neighbours(link, this, counters);
  }

  /** The hosts that are asked for. */
  Neighbours neighbours() {
    return neighbours;
  }

  /** See {@link IpLayer#reportTo}. */
  void reportTo(Consumer<String> receiver) {
    neighbours.reportConflictsTo(receiver);
    for (AddressCheck check : checks) {
      check.reportTo(receiver);
    }
  }

  /** Begins to check our addresses; none may be in use. */
  void startChecks(long now) {
    for (AddressCheck check : checks) {
      check.start(now);
    }
  }

  /** Runs the timers that are due; returns how many fired. */
  int advance(long now) {
    int due = neighbours.advance(now);
    for (AddressCheck check : checks) {
      due += check.advance(now);
    }
    return due;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    long first = neighbours.nextDeadline();
    for (AddressCheck check : checks) {
      first = Math.min(first, check.nextDeadline());
    }
    return first;
  }

  @Override
  public String name() {
    return "ND";
  }

  @Override
  public int etherType() {
    return Ethernet.TYPE_IPV6;
  }

  @Override
  public long confirmAfter() {
    return REACHABLE;
  }

  @Override
  public void ask(HostAddress host, long macAddress) {
    Ipv6Address target = (Ipv6Address) host;
    Ipv6Address source = addresses.get(LocalAddresses.sourceFor(target.high()));
    boolean alone = macAddress != Neighbour.UNKNOWN;
    Ipv6Address destination = alone ? target : target.solicitedNode();
    long to = alone ? macAddress : Ethernet.ipv6Group(destination.low());
    if (send(Icmpv6.NEIGHBOUR_SOLICITATION, 0, target, source, destination, to)) {
      counters.solicitations++;
    }
  }

  /** Asks whether another host has an address of ours (RFC 4862 section 5.4.2). */
  void probe(int index) {
    Ipv6Address target = addresses.get(index);
    Ipv6Address group = target.solicitedNode();
    long to = Ethernet.ipv6Group(group.low());
    if (send(Icmpv6.NEIGHBOUR_SOLICITATION, 0, target, Ipv6Address.UNSPECIFIED, group, to)) {
      counters.solicitations++;
    }
  }

  /** Announces on the link that an address is ours (RFC 4861 section 7.2.6). */
  void announce(int index) {
    if (advertise(index, Ndp.OVERRIDE, Ipv6Address.ALL_NODES, allNodes())) {
      counters.announcements++;
    }
  }

  private static long allNodes() {
    return Ethernet.ipv6Group(Ipv6Address.ALL_NODES.low());
  }

  private boolean advertise(int index, int flags, Ipv6Address destination, long macAddress) {
    Ipv6Address ours = addresses.get(index);
    return send(Icmpv6.NEIGHBOUR_ADVERTISEMENT, flags, ours, ours, destination, macAddress);
  }

  private boolean send(
      int type,
      int flags,
      Ipv6Address target,
      Ipv6Address source,
      Ipv6Address destination,
      long macAddress) {
    long packet = output.allocate();
    if (packet == 0) {
      return false;
    }
    int option =
        type == Icmpv6.NEIGHBOUR_ADVERTISEMENT ? Ndp.TARGET_LINK_LAYER : Ndp.SOURCE_LINK_LAYER;
    // RFC 4861 section 4.3: no option with the MAC address if the source is ::.
    int kept = source.equals(Ipv6Address.UNSPECIFIED) ? 0 : option;
    long message = pool.address(packet);
    int length =
        Ndp.writeNeighbour(
            message, type, flags, target.high(), target.low(), kept, link.macAddress());
    output.send(packet, message, length, 0, Ipv6.ON_LINK_HOPS, source, destination, macAddress);
    return true;
  }

  /**
   * Handles a solicitation, whose checksum and hop limit are right.
   *
   * @param packet IPv6 header
   * @param senderMac source of its frame
   */
  void onSolicitation(long packet, long message, int length, long senderMac, long now) {
    boolean probe = Ipv6.sourceHigh(packet) == 0 && Ipv6.sourceLow(packet) == 0;
    boolean valid =
        Ndp.wellFormed(message, length, Ndp.NEIGHBOUR)
            && !Ipv6Address.multicast(Ndp.targetHigh(message))
            && !(probe && !Ipv6Address.multicast(Ipv6.destinationHigh(packet)));
    long asker = valid ? Ndp.linkLayer(message, length, Ndp.NEIGHBOUR, Ndp.SOURCE_LINK_LAYER) : -1;
    if (!valid || (probe && asker >= 0)) {
      counters.malformed++;
      return;
    }
    int index = addresses.find(Ndp.targetHigh(message), Ndp.targetLow(message));
    if (index < 0) {
      return;
    }
    if (probe) {
      claimed(index, senderMac, true, now);
    } else if (addresses.usable(index)) {
      answer(packet, index, asker >= 0 ? asker : senderMac);
    }
  }

  private void answer(long packet, int index, long macAddress) {
    if (Ethernet.unicast(macAddress)) {
      Ipv6Address asker = new Ipv6Address(Ipv6.sourceHigh(packet), Ipv6.sourceLow(packet));
      if (advertise(index, Ndp.SOLICITED | Ndp.OVERRIDE, asker, macAddress)) {
        counters.advertisements++;
      }
    }
  }

  /** Handles an advertisement, whose checksum and hop limit are right. */
  void onAdvertisement(long packet, long message, int length, long senderMac, long now) {
    boolean solicited = (length < Ndp.NEIGHBOUR ? 0 : Ndp.flags(message) & Ndp.SOLICITED) != 0;
    if (!Ndp.wellFormed(message, length, Ndp.NEIGHBOUR)
        || Ipv6Address.multicast(Ndp.targetHigh(message))
        || (solicited && Ipv6Address.multicast(Ipv6.destinationHigh(packet)))) {
      counters.malformed++;
      return;
    }
    long high = Ndp.targetHigh(message);
    long low = Ndp.targetLow(message);
    int index = addresses.find(high, low);
    if (index >= 0) {
      claimed(index, senderMac, false, now);
      return;
    }
    long told = Ndp.linkLayer(message, length, Ndp.NEIGHBOUR, Ndp.TARGET_LINK_LAYER);
    long macAddress = told >= 0 ? told : senderMac;
    told(high, low, macAddress, solicited, now);
    if (!member.isAlone()) {
      HandOverEntry entry = member.entry(Kind.ADVERTISEMENT);
      entry.high = high;
      entry.low = low;
      entry.macAddress = macAddress;
      entry.flag = solicited;
      member.tell(entry);
    }
  }

  /**
   * Handles a message, received here or by another stack, of a station that has or wants to have an
   * address of ours. Our own messages may come back and are ignored.
   */
  void claimed(int index, long macAddress, boolean probe, long now) {
    if (macAddress == link.macAddress()) {
      return;
    }
    if (member.isFirst()) {
      checks[index].claimed(macAddress, probe, now);
    } else {
      HandOverEntry entry = member.entry(Kind.CLAIM);
      entry.code = index;
      entry.macAddress = macAddress;
      entry.flag = probe;
      member.tellFirst(entry);
    }
  }

  /** Handles another host's advertisement, received here or by another stack. */
  void told(long high, long low, long macAddress, boolean solicited, long now) {
    if (Ethernet.unicast(macAddress)) {
      neighbours.told(new Ipv6Address(high, low), macAddress, solicited, now);
    }
  }

  /** Transfers the neighbours and the checks of our addresses. */
  void transfer(Snapshot snapshot) {
    neighbours.transfer(snapshot);
    for (AddressCheck check : checks) {
      check.transfer(snapshot);
    }
  }
}
