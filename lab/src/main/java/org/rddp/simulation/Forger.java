package org.rddp.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.rddp.ip.Ipv6Address;
import org.rddp.tcp.testing.RouterMessages;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Ndp;
import org.rddp.wire.Tcp;

/**
 * A third station on the link of two IPv6 hosts. It sends messages that no host may act on, and
 * sees every frame: a host that sends it a frame has believed one, unless the frame is an ICMPv6
 * error about a packet that was corrupted on its way.
 *
 * <p>It answers no multicast solicitation, since a host must believe the first answer (RFC 4861
 * section 7.2.5). It claims no address while a host checks whether it is free, since the host would
 * have to give it up (RFC 4862 section 5.4.4).
 */
final class Forger implements NetworkListener {
  private static final long MAC_ADDRESS = 0x02_ff_00_00_00_66L;
  private static final long LINK_LOCAL = 0xfe80L << 48;
  private static final int INTERFACE = 0x66;
  private static final Ipv6Address ITSELF = new Ipv6Address(LINK_LOCAL, INTERFACE);
  private static final Ipv6Address ALL_NODES = Ipv6Address.parse("ff02::1");
  private static final int SOLICITED = Ndp.SOLICITED | Ndp.OVERRIDE;
  private static final int QUOTED = Ipv6.HEADER + Tcp.HEADER;
  private static final int PAYLOAD_LENGTH = 4;
  private static final int SEQUENCE = Ipv6.HEADER + 4;
  private static final int LONGEST = 256;

  /** Further from the octets in flight than any window reaches. */
  private static final int FAR = 1 << 30;

  private final Network network;
  private final SplittableRandom random;
  private final Violations violations;
  private final int mtu;
  private final SimulatedHost[] hosts;
  private final Hop[] towards;

  /** The headers of the segment that each host has sent last, and whether there is one. */
  private final long[] segments = {Memory.allocate(QUOTED), Memory.allocate(QUOTED)};

  private final boolean[] seen = new boolean[2];
  private final long message = Memory.allocate(LONGEST);
  private final Map<Forgery, Integer> counts = new EnumMap<>(Forgery.class);

  /**
   * A station that has sent nothing yet.
   *
   * @param mtu of the link in octets
   */
  Forger(
      Network network,
      SplittableRandom random,
      Violations violations,
      int mtu,
      SimulatedHost client,
      SimulatedHost server,
      SimulatedLink link) {
    this.network = network;
    this.random = random;
    this.violations = violations;
    this.mtu = mtu;
    hosts = new SimulatedHost[] {client, server};
    towards = new Hop[] {link.backward(), link.forward()};
  }

  /** How often it has sent such a message. */
  int count(Forgery forgery) {
    return counts.getOrDefault(forgery, 0);
  }

  @Override
  public void onEvent(NetworkEvent event, long frame, int length, int detail) {
    if (event != NetworkEvent.SENT) {
      return;
    }
    if (Ethernet.destination(frame) == MAC_ADDRESS && !SegmentView.isIcmpv6Error(frame, length)) {
      violations.add("a host believes a forged message, and sends to the forger");
    }
    for (int i = 0; i < hosts.length; i++) {
      if (Ethernet.source(frame) == hosts[i].card().macAddress()
          && SegmentView.isSegment(frame, length)) {
        Memory.copy(SegmentView.packet(frame), segments[i], QUOTED);
        seen[i] = true;
      }
    }
  }

  /** Called when a host has restarted, and checks its addresses again. */
  void restarted(SimulatedHost host) {
    seen[host == hosts[0] ? 0 : 1] = false;
  }

  /** Sends one message to one of the hosts. */
  void forge() {
    Forgery[] all = Forgery.values();
    Forgery forgery = all[random.nextInt(all.length)];
    int victim = random.nextInt(hosts.length);
    if (forgery == Forgery.TOO_BIG && !seen[victim]) {
      return;
    }
    counts.merge(forgery, 1, Integer::sum);
    switch (forgery) {
      case FROM_BEYOND_THE_LINK -> any(victim, random.nextInt(Ipv6.ON_LINK_HOPS));
      case CLAIM -> claim(victim, Ipv6.ON_LINK_HOPS, random.nextBoolean() ? Ndp.OVERRIDE : 0);
      case ROUTER -> router(victim, Ipv6.ON_LINK_HOPS);
      case REDIRECT -> redirect(victim, Ipv6.ON_LINK_HOPS);
      case TOO_BIG -> tooBig(victim);
    }
  }

  private void any(int victim, int hops) {
    switch (random.nextInt(4)) {
      case 0 -> solicit(victim, hops);
      case 1 -> claim(victim, hops, random.nextBoolean() ? SOLICITED : Ndp.OVERRIDE);
      case 2 -> router(victim, hops);
      default -> redirect(victim, hops);
    }
  }

  private Ipv6Address address(int host) {
    return (Ipv6Address) hosts[host].connectAddress();
  }

  private Ipv6Address peer(int victim) {
    return address(1 - victim);
  }

  /** Solicits the victim: an answer would go to this station. */
  private void solicit(int victim, int hops) {
    Ipv6Address target = address(victim);
    int length =
        Ndp.writeNeighbour(
            message,
            Icmpv6.NEIGHBOUR_SOLICITATION,
            0,
            target.high(),
            target.low(),
            Ndp.SOURCE_LINK_LAYER,
            MAC_ADDRESS);
    send(victim, hops, ITSELF, target, length);
  }

  /** Claims the address of the peer or of the victim for this station. */
  private void claim(int victim, int hops, int flags) {
    boolean ours = random.nextInt(4) == 0 && (seen[victim] || hops < Ipv6.ON_LINK_HOPS);
    Ipv6Address target = ours ? address(victim) : peer(victim);
    boolean toAll = (flags & Ndp.SOLICITED) == 0 && random.nextBoolean();
    int length =
        Ndp.writeNeighbour(
            message,
            Icmpv6.NEIGHBOUR_ADVERTISEMENT,
            flags,
            target.high(),
            target.low(),
            Ndp.TARGET_LINK_LAYER,
            MAC_ADDRESS);
    send(victim, hops, target, toAll ? ALL_NODES : address(victim), length);
  }

  /**
   * Advertises a router, which no packet to the peer needs, and sometimes another MTU of the link.
   */
  private void router(int victim, int hops) {
    int told = random.nextBoolean() ? 0 : random.nextInt(Ipv6.LEAST_MTU - 100, mtu + 100);
    int lifetime = random.nextInt(4) == 0 ? 0 : random.nextInt(1, 1 << 16);
    Ipv6Address router = new Ipv6Address(LINK_LOCAL, INTERFACE + random.nextInt(16));
    int length = RouterMessages.writeAdvertisement(message, lifetime, told);
    send(victim, hops, router, ALL_NODES, length);
  }

  private void redirect(int victim, int hops) {
    Ipv6Address to = peer(victim);
    Ipv6Address hop = random.nextBoolean() ? ITSELF : to;
    int length = RouterMessages.writeRedirect(message, hop.high(), hop.low(), to.high(), to.low());
    send(victim, hops, ITSELF, address(victim), length);
  }

  private void tooBig(int victim) {
    long quoted = message + Icmpv6.HEADER;
    Icmpv6.write(message, Icmpv6.PACKET_TOO_BIG, 0, Ipv6.LEAST_MTU);
    Memory.copy(segments[victim], quoted, QUOTED);
    Memory.putShort(quoted + PAYLOAD_LENGTH, mtu - Ipv6.HEADER);
    int far = Memory.getInt(quoted + SEQUENCE) + FAR + random.nextInt(FAR);
    Memory.putInt(quoted + SEQUENCE, far);
    Ipv6Address to = address(victim);
    Ipv6Address router = new Ipv6Address(to.high(), INTERFACE);
    send(victim, Ipv6.HOPS, router, to, Icmpv6.HEADER + QUOTED);
  }

  private void send(int victim, int hops, Ipv6Address from, Ipv6Address to, int length) {
    FrameStore frames = network.frames();
    long frame = frames.allocate(Ethernet.HEADER + Ipv6.HEADER + length);
    long start = frames.address(frame);
    long header = start + Ethernet.HEADER;
    long mac =
        to.equals(ALL_NODES)
            ? Ethernet.ipv6Group(ALL_NODES.low())
            : hosts[victim].card().macAddress();
    Ethernet.write(start, mac, MAC_ADDRESS, Ethernet.TYPE_IPV6);
    Ipv6.write(
        header, length, Ipv6.ICMPV6, hops, 0, 0, from.high(), from.low(), to.high(), to.low());
    Memory.copy(message, header + Ipv6.HEADER, length);
    Icmpv6.complete(header + Ipv6.HEADER, length, Icmpv6.pseudoHeader(header, length));
    network.report(NetworkEvent.FORGED, frame);
    towards[victim].take(frame);
  }
}
