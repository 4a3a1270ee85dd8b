package org.rddp.fuzz;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Arp;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Extensions;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * Packets of IPv6 for a stack that listens and has opened a connection over it: headers, chains of
 * extension headers, fragments, ICMPv6 and Neighbour Discovery, also from routers, which the stack
 * believes.
 *
 * <p>An input is an octet ({@link #CHECKED}, {@link #WITHOUT_IPV4}) and a list of packets: an octet
 * that says what to repair ({@link #HEADERS} and so on), two with the length, and the octets behind
 * the Ethernet header. Every input runs twice with different octets behind the frames, on which the
 * sent frames must not depend.
 */
public final class Ipv6Fuzz {
  /** Bit of the first octet: the stack checks its addresses first. */
  private static final int CHECKED = 1;

  /** Bit of the first octet: the stack has no IPv4 address. */
  private static final int WITHOUT_IPV4 = 2;

  /** Repair: version, length and destination. */
  private static final int HEADERS = 1;

  /** Repair: the checksum of TCP or ICMPv6, if the chain ends there. */
  private static final int CHECKSUM = 2;

  /** Repair: the hop limit that Neighbour Discovery must have. */
  private static final int ON_LINK = 4;

  /** Repair: the source, which is the peer. */
  private static final int SOURCE = 8;

  /** The packet goes to the group of all hosts. */
  private static final int TO_GROUP = 16;

  /** A second passes before the packet. */
  private static final int LATER = 32;

  /** Repair: the source, which is a router. */
  private static final int ROUTER = 64;

  /** After the packet, the stack opens a connection beyond the link, if it knows a router. */
  private static final int CONNECTS = 128;

  private static final int MTU = 1500;
  private static final int PACKETS = 64;
  private static final int ROOM = 2048;
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final Ipv6Address OURS = Ipv6Address.parse("2001:db8::1");
  private static final Ipv6Address THEIRS = Ipv6Address.parse("2001:db8::2");
  private static final Ipv6Address FAR = Ipv6Address.parse("2001:db8:1::7");
  private static final Ipv6Address GATEWAY = Ipv6Address.parse("fe80::fe");
  private static final Ipv6Address ALL_NODES = Ipv6Address.parse("ff02::1");
  private static final Ipv6Network NETWORK =
      new Ipv6Network(OURS, 64, Optional.empty(), true, "a secret");
  private static final NativePacketPool POOL = new NativePacketPool(PACKETS, ROOM);
  private static final long SCRATCH = Memory.allocate(ROOM);
  private static final long PACKET = SCRATCH + Ethernet.HEADER;

  private final CRC32 left = new CRC32();
  private final TcpOptions options = new TcpOptions();
  private final Ipv6Extensions headers = new Ipv6Extensions();
  private final Ipv6Address linkLocal = NETWORK.linkLocal(FuzzedDevice.OUR_MAC);
  private final FuzzedDevice device = new FuzzedDevice(POOL, MTU, this::onFrame);
  private final FuzzInput input;
  private final int how;
  private final TcpStack stack;
  private Throwable failure;

  private Ipv6Fuzz(byte[] octets, int filler) {
    device.filler = filler;
    input = new FuzzInput(octets);
    how = input.octet();
    InterfaceAddress both = new InterfaceAddress(Frames.OURS, 24).withIpv6(NETWORK);
    stack =
        new TcpStack(
            device,
            (how & WITHOUT_IPV4) == 0 ? both : new InterfaceAddress(NETWORK),
            TcpSettings.DEFAULTS.withBacklog(4).withConnections(8),
            new SplittableRandom(1),
            0);
    stack.reportFailuresTo(thrown -> failure = thrown);
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    long once = new Ipv6Fuzz(octets, 0).run();
    long again = new Ipv6Fuzz(octets, 0xff).run();
    Frames.require(once == again, "what leaves depends on octets behind the frames");
  }

  private long run() {
    if ((how & CHECKED) != 0) {
      stack.announce(0);
    }
    stack.listen(7, (stream, address, port) -> new DiscardingHandler());
    stack.connect(THEIRS, 7, new DiscardingHandler());
    long now = MILLISECOND;
    while (!input.exhausted()) {
      int repairs = input.octet();
      now += (repairs & LATER) != 0 ? SECOND : MILLISECOND;
      device.put(frame(repairs));
      stack.receive(now);
      if ((repairs & CONNECTS) != 0) {
        connectBeyondTheLink();
      }
      stack.advance(now);
      stack.transmit(now);
    }
    stack.close();
    device.close();
    Frames.require(failure == null, "a handler failed: " + failure);
    Frames.require(POOL.available() == PACKETS, "packets are missing");
    return left.getValue();
  }

  private void connectBeyondTheLink() {
    try {
      stack.connect(FAR, 7, new DiscardingHandler());
    } catch (IllegalStateException refused) {
      // No router is known, or there are enough connections.
    }
  }

  private byte[] frame(int repairs) {
    int length = input.unsignedShort() % (MTU + 1);
    for (int i = 0; i < length; i++) {
      Memory.putByte(PACKET + i, input.octet());
    }
    boolean group = (repairs & TO_GROUP) != 0;
    long mac = group ? Ethernet.ipv6Group(ALL_NODES.low()) : FuzzedDevice.OUR_MAC;
    Ethernet.write(SCRATCH, mac, Frames.THEIR_MAC, Ethernet.TYPE_IPV6);
    if (length >= Ipv6.HEADER) {
      repair(repairs, length, group ? ALL_NODES : OURS);
    }
    return Memory.bytes(SCRATCH, Ethernet.HEADER + length);
  }

  private void repair(int repairs, int length, Ipv6Address to) {
    long high = Ipv6.sourceHigh(PACKET);
    long low = Ipv6.sourceLow(PACKET);
    if ((repairs & (SOURCE | ROUTER)) != 0) {
      Ipv6Address source = (repairs & ROUTER) != 0 ? GATEWAY : THEIRS;
      high = source.high();
      low = source.low();
    }
    boolean onLink = (repairs & ON_LINK) != 0;
    if ((repairs & HEADERS) != 0) {
      Ipv6.write(
          PACKET,
          length - Ipv6.HEADER,
          Ipv6.nextHeader(PACKET),
          onLink ? Ipv6.ON_LINK_HOPS : Ipv6.hopLimit(PACKET),
          Ipv6.ecn(PACKET),
          Ipv6.flowLabel(PACKET),
          high,
          low,
          to.high(),
          to.low());
    }
    if ((repairs & CHECKSUM) != 0
        && Ipv6.wellFormed(PACKET, length)
        && headers.walk(PACKET) == Ipv6Extensions.Outcome.PAYLOAD) {
      checksum();
    }
  }

  private void checksum() {
    if (headers.protocol == Ipv6.ICMPV6 && headers.length >= Icmpv6.HEADER) {
      long sum = Icmpv6.pseudoHeader(PACKET, headers.length);
      Icmpv6.complete(headers.payload, headers.length, sum);
    } else if (headers.protocol == Ipv4.PROTOCOL_TCP && headers.length >= Tcp.HEADER) {
      Memory.putShort(headers.payload + 16, 0);
      long sum = pseudoHeader(PACKET, headers.length);
      Tcp.putChecksum(headers.payload, sum + Checksum.sum(headers.payload, headers.length));
    }
  }

  private static long pseudoHeader(long packet, int length) {
    return Checksum.pseudoHeader(
        Ipv6.sourceHigh(packet),
        Ipv6.sourceLow(packet),
        Ipv6.destinationHigh(packet),
        Ipv6.destinationLow(packet),
        Ipv4.PROTOCOL_TCP,
        length);
  }

  private void onFrame(boolean sent, long address, int length) {
    check(address, length);
    left.update(Memory.bytes(address, length));
  }

  /** Fails unless a sent frame is allowed. */
  private void check(long frame, int length) {
    Frames.require(length >= Ethernet.HEADER && length <= Ethernet.HEADER + MTU, "length");
    Frames.require(Ethernet.source(frame) == FuzzedDevice.OUR_MAC, "the source's MAC address");
    long ip = frame + Ethernet.HEADER;
    int available = length - Ethernet.HEADER;
    if (Ethernet.type(frame) == Ethernet.TYPE_ARP) {
      Frames.require((how & WITHOUT_IPV4) == 0, "ARP without IPv4");
      Frames.require(Arp.wellFormed(ip, available), "malformed ARP");
      return;
    }
    Frames.require(Ethernet.type(frame) == Ethernet.TYPE_IPV6, "EtherType");
    Frames.require(Ipv6.wellFormed(ip, available), "malformed IPv6");
    Ipv6Extensions sent = new Ipv6Extensions();
    Frames.require(sent.walk(ip) == Ipv6Extensions.Outcome.PAYLOAD, "extension headers");
    Ipv6Address source = new Ipv6Address(Ipv6.sourceHigh(ip), Ipv6.sourceLow(ip));
    if (sent.protocol == Ipv6.ICMPV6) {
      icmp(ip, sent, source);
    } else {
      Frames.require(source.equals(OURS) || source.equals(linkLocal), "source " + source);
      tcp(ip, sent);
    }
  }

  private void icmp(long ip, Ipv6Extensions sent, Ipv6Address source) {
    long message = sent.payload;
    long sum = Icmpv6.pseudoHeader(ip, sent.length);
    Frames.require(Icmpv6.wellFormed(message, sent.length, sum), "ICMPv6 checksum");
    boolean nobody = source.high() == 0 && source.low() == 0;
    Frames.require(nobody || source.equals(OURS) || source.equals(linkLocal), "source " + source);
    int type = Icmpv6.type(message);
    boolean discovery =
        type == Icmpv6.NEIGHBOUR_SOLICITATION || type == Icmpv6.NEIGHBOUR_ADVERTISEMENT;
    Frames.require(!discovery || Ipv6.hopLimit(ip) == Ipv6.ON_LINK_HOPS, "hop limit");
    boolean tooLong = Ipv6.HEADER + Ipv6.payloadLength(ip) > Ipv6.LEAST_MTU;
    Frames.require(!(Icmpv6.error(message) && tooLong), "an error longer than 1280");
  }

  private void tcp(long ip, Ipv6Extensions sent) {
    long tcp = sent.payload;
    Frames.require(Tcp.wellFormed(tcp, sent.length), "malformed TCP");
    Frames.require(options.parse(tcp, Tcp.headerLength(tcp)), "malformed options");
    Frames.require(Tcp.intact(tcp, sent.length, pseudoHeader(ip, sent.length)), "TCP checksum");
  }
}
