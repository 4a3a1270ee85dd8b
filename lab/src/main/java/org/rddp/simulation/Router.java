package org.rddp.simulation;

import java.util.SplittableRandom;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;

/**
 * A router in front of a wire that may have a smaller MTU than the cards. It drops larger packets,
 * and either reports that to the sender (RFC 1191 section 4, RFC 8201) or does not: a black hole
 * (RFC 2923 section 2.1).
 */
public final class Router implements Hop {
  private static final long MAC_ADDRESS = 0x02_ff_00_00_00_fdL;
  private static final int HOST = 253;
  private static final int ICMP = Ethernet.HEADER + Ipv4.HEADER;
  private static final int ICMP_HEADER = 8;
  private static final int FRAGMENTATION_NEEDED = (3 << 24) | (4 << 16);

  /** The most octets that an error quotes: its packet has 576 (RFC 1812 section 4.3.2.3). */
  private static final int QUOTED = 576 - Ipv4.HEADER - ICMP_HEADER;

  private final Network network;
  private final SplittableRandom random;
  private final Hop next;
  private final Hop back;
  private int mtu;
  private boolean silent;

  /**
   * A router.
   *
   * @param mtu the largest IP packet in octets that the next hop takes
   * @param next where frames go
   * @param back where errors go
   */
  public Router(Network network, int mtu, Hop next, Hop back) {
    this.network = network;
    this.mtu = mtu;
    this.next = next;
    this.back = back;
    random = network.newRandom();
  }

  /** The largest IP packet that it forwards, in octets. */
  public int mtu() {
    return mtu;
  }

  /**
   * Reduces the MTU.
   *
   * @param silently whether senders get no ICMP error
   */
  public void reduceMtu(int octets, boolean silently) {
    mtu = octets;
    silent = silently;
  }

  @Override
  public void take(long frame) {
    if (network.frames().length(frame) <= mtu + Ethernet.HEADER) {
      next.take(frame);
      return;
    }
    long address = network.frames().address(frame);
    if (!silent && Ethernet.type(address) == Ethernet.TYPE_IPV4) {
      answer(address);
    } else if (!silent && Ethernet.type(address) == Ethernet.TYPE_IPV6) {
      answerIpv6(address);
    }
    network.drop(NetworkEvent.TOO_LARGE, frame);
  }

  private void answer(long refused) {
    long packet = refused + Ethernet.HEADER;
    int least = Ipv4.headerLength(packet) + 8;
    int quoted = random.nextBoolean() ? least : Math.min(Ipv4.totalLength(packet), QUOTED);
    int octets = ICMP_HEADER + quoted;
    long frame = network.frames().allocate(ICMP + octets);
    long answer = network.frames().address(frame);
    Ethernet.write(answer, Ethernet.source(refused), MAC_ADDRESS, Ethernet.TYPE_IPV4);
    int to = Ipv4.source(packet);
    int from = (to & ~0xff) | HOST;
    Ipv4.write(answer + Ethernet.HEADER, Ipv4.HEADER + octets, Ipv4.PROTOCOL_ICMP, from, to);
    long message = answer + ICMP;
    Memory.putInt(message, FRAGMENTATION_NEEDED);
    Memory.putInt(message + 4, mtu);
    Memory.copy(packet, message + ICMP_HEADER, quoted);
    Memory.putShort(message + 2, Checksum.field(Checksum.sum(message, octets)));
    network.report(NetworkEvent.SENT, frame);
    back.take(frame);
  }

  private void answerIpv6(long refused) {
    long packet = refused + Ethernet.HEADER;
    int least = Ipv6.HEADER + 8;
    int most = Ipv6.LEAST_MTU - Ipv6.HEADER - Icmpv6.HEADER;
    int quoted = random.nextBoolean() ? least : Math.min(SegmentView.total(packet), most);
    int octets = Icmpv6.HEADER + quoted;
    long frame = network.frames().allocate(Ethernet.HEADER + Ipv6.HEADER + octets);
    long answer = network.frames().address(frame);
    long header = answer + Ethernet.HEADER;
    long message = header + Ipv6.HEADER;
    Ethernet.write(answer, Ethernet.source(refused), MAC_ADDRESS, Ethernet.TYPE_IPV6);
    long prefix = Ipv6.sourceHigh(packet);
    long to = Ipv6.sourceLow(packet);
    Ipv6.write(header, octets, Ipv6.ICMPV6, Ipv6.HOPS, 0, 0, prefix, HOST, prefix, to);
    Icmpv6.write(message, Icmpv6.PACKET_TOO_BIG, 0, mtu);
    Memory.copy(packet, message + Icmpv6.HEADER, quoted);
    Icmpv6.complete(message, octets, Icmpv6.pseudoHeader(header, octets));
    network.report(NetworkEvent.SENT, frame);
    back.take(frame);
  }
}
