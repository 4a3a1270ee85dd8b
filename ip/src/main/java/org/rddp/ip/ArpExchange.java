package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;

/** ARP (RFC 826): asks for neighbours, and answers requests for our address. */
final class ArpExchange implements NeighbourProtocol {
  private static final long CONFIRM_AFTER = 60 * 1_000_000_000L;

  private final PacketPool pool;
  private final EthernetLink link;
  private final ArpAnnouncement announcement;
  private final IpCounters counters;
  private final int ourAddress;
  private final Neighbours neighbours;

  ArpExchange(
      EthernetLink link, ArpAnnouncement announcement, IpCounters counters, int ourAddress) {
    this.link = link;
    this.announcement = announcement;
    this.counters = counters;
    this.ourAddress = ourAddress;
    pool = link.pool();
    neighbours = new Neighbours(link, this, counters);
  }

  /** The hosts that are asked for. */
  Neighbours neighbours() {
    return neighbours;
  }

  /** Handles a well-formed message. */
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

  /**
   * Takes what a message of another host says. If another stack has received it, that stack answers
   * it.
   */
  void told(int operation, int sender, long senderMac, int target, long now) {
    if (Ethernet.unicast(senderMac)) {
      boolean reply = target == ourAddress && operation == Arp.REPLY;
      neighbours.told(new Ipv4Address(sender), senderMac, reply, now);
    }
  }

  @Override
  public String name() {
    return "ARP";
  }

  @Override
  public int etherType() {
    return Ethernet.TYPE_IPV4;
  }

  @Override
  public long confirmAfter() {
    return CONFIRM_AFTER;
  }

  @Override
  public void ask(HostAddress host, long macAddress) {
    long destination = macAddress == Neighbour.UNKNOWN ? Ethernet.BROADCAST : macAddress;
    if (send(Arp.REQUEST, destination, 0, ((Ipv4Address) host).bits())) {
      counters.arpRequests++;
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
}
