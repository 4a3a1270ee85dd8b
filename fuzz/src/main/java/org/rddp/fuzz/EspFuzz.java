package org.rddp.fuzz;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.rddp.device.NativePacketPool;
import org.rddp.group.StackGroup;
import org.rddp.ip.Association;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;
import org.rddp.ip.TrafficSelector;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.ip.esp.Lifetime;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Checksum;
import org.rddp.wire.Esp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/**
 * Packets for a stack that sends and receives in ESP only: sealed with the right keys around any
 * octets, sealed and spoilt, with numbers that come again, any octets as ESP, and packets in clear.
 *
 * <p>An input is an octet (the suite, and {@link #TUNNEL} and so on) and a list of packets: an
 * octet ({@link #SEALED} and so on), one with the protocol, one for the number, two with the
 * length, and the octets. A set of all numbers that were received says which packet must be
 * accepted; nothing but ESP may leave, each packet with a number of its own.
 */
public final class EspFuzz {
  /** Bits of the first octet, behind the suite. */
  private static final int TUNNEL = 8;

  private static final int IPV6 = 16;
  private static final int WITHOUT_ESN = 32;

  /** The numbers begin just below 2^32. */
  private static final int LATE = 64;

  /** The octets of the packet are sealed with the right keys. */
  private static final int SEALED = 1;

  /** The checksum of TCP in them is made right. */
  private static final int CHECKSUM = 2;

  /** The number is one of the last ones, not a new one. */
  private static final int OLD = 4;

  /** An octet of the sealed packet is changed. */
  private static final int SPOILT = 8;

  /** The packet is in clear. */
  private static final int CLEAR = 16;

  /** The SPI is made right. */
  private static final int SPI_RIGHT = 32;

  private static final EspSuite[] SUITES = EspSuite.values();
  private static final int IN = 0x1000;
  private static final int OUT = 0x2000;
  private static final int WINDOW = 64;
  private static final int MTU = 1500;
  private static final int MOST = 1300;
  private static final int PACKETS = 64;
  private static final int ROOM = 2048;
  private static final long MILLISECOND = 1_000_000;
  private static final Ipv6Address OURS = Ipv6Address.parse("2001:db8::1");
  private static final Ipv6Address THEIRS = Ipv6Address.parse("2001:db8::2");
  private static final NativePacketPool POOL = new NativePacketPool(PACKETS, ROOM);
  private static final long INNER = Memory.allocate(ROOM) + 128;
  private static final long FRAME = Memory.allocate(ROOM);
  private static final long LEFT = Memory.allocate(ROOM);

  private final FuzzInput input;
  private final int how;
  private final boolean ipv6;
  private final boolean esn;
  private final EspSuite suite;
  private final EspCipher reader;
  private final IpSecurity security;
  private final FuzzedDevice device = new FuzzedDevice(POOL, MTU, this::onFrame);
  private final TcpStack stack;
  private final Association inbound;
  private final Set<Long> accepted = new HashSet<>();
  private final long first;
  private long top;
  private final Set<Long> sent = new HashSet<>();
  private Throwable failure;

  private EspFuzz(byte[] octets) {
    input = new FuzzInput(octets);
    how = input.octet();
    ipv6 = (how & IPV6) != 0;
    esn = (how & WITHOUT_ESN) == 0;
    suite = SUITES[how & SUITES.length - 1];
    first = (how & LATE) != 0 ? (1L << 32) - 8 : 0;
    top = first;
    InterfaceAddress address =
        new InterfaceAddress(Frames.OURS, 24).withIpv6(new Ipv6Network(OURS, 64, "a secret"));
    security =
        new IpSecurity(
            new SecurityPolicy(List.of(), PolicyAction.REQUIRE),
            address.all(FuzzedDevice.OUR_MAC),
            new JceCiphers(),
            new byte[1]);
    stack =
        new TcpStack(
            device,
            address,
            TcpSettings.DEFAULTS.withBacklog(4).withConnections(8),
            StackGroup.alone(),
            security,
            new SplittableRandom(1),
            0);
    stack.reportFailuresTo(thrown -> failure = thrown);
    HostAddress us = ipv6 ? OURS : Frames.OURS;
    HostAddress them = ipv6 ? THEIRS : Frames.THEIRS;
    security.add(settings(IN, them, us, them), keys(1), first, 0);
    security.add(settings(OUT, us, them, them), keys(2), first, 0);
    reader = new JceCiphers().cipher(suite, esn, keys(2));
    inbound = security.find(IN, us);
  }

  private byte[] keys(int seed) {
    byte[] keys = new byte[suite.keyOctets()];
    new SplittableRandom(seed).nextBytes(keys);
    return keys;
  }

  private AssociationSettings settings(
      int spi, HostAddress from, HostAddress to, HostAddress peer) {
    return new AssociationSettings(
        spi,
        from,
        to,
        (how & TUNNEL) != 0,
        suite,
        esn,
        WINDOW,
        TrafficSelector.of(peer),
        Lifetime.UNLIMITED);
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    new EspFuzz(octets).run();
  }

  private void run() {
    stack.listen(7, (stream, address, port) -> new DiscardingHandler());
    long now = MILLISECOND;
    while (!input.exhausted()) {
      packet();
      stack.receive(now);
      stack.advance(now);
      stack.transmit(now);
      Frames.require(inbound.packets() == accepted.size(), "what was accepted");
      Frames.require(accepted.isEmpty() || inbound.sequence() == top, "the window");
      now += MILLISECOND;
    }
    stack.close();
    device.close();
    Frames.require(failure == null, "a handler failed: " + failure);
    Frames.require(POOL.available() == PACKETS, "packets are missing");
  }

  private void packet() {
    int kind = input.octet();
    int protocol = input.octet();
    int step = input.octet();
    int length = input.unsignedShort() % MOST;
    for (int i = 0; i < length; i++) {
      Memory.putByte(INNER + i, input.octet());
    }
    long ip = FRAME + Ethernet.HEADER;
    long payload = ip + header();
    int octets = length;
    if ((kind & CHECKSUM) != 0 && protocol == Ipv4.PROTOCOL_TCP && length >= Tcp.HEADER) {
      checksum(length);
    }
    if ((kind & SEALED) != 0) {
      octets = seal(kind, protocol, step, length, payload);
    } else {
      Memory.copy(INNER, payload, length);
      if ((kind & SPI_RIGHT) != 0 && length >= Esp.HEADER) {
        Esp.write(payload, IN, Esp.sequence(payload));
      }
    }
    boolean clear = (kind & (SEALED | CLEAR)) == CLEAR;
    write(ip, octets, clear ? protocol : Esp.PROTOCOL);
    Ethernet.write(
        FRAME,
        FuzzedDevice.OUR_MAC,
        Frames.THEIR_MAC,
        ipv6 ? Ethernet.TYPE_IPV6 : Ethernet.TYPE_IPV4);
    device.put(Memory.bytes(FRAME, Ethernet.HEADER + header() + octets));
  }

  /** Seals the octets, and foretells whether the packet is accepted. */
  private int seal(int kind, int protocol, int step, int length, long sealed) {
    long number = (kind & OLD) != 0 ? Math.max(1, top - step) : top + 1 + (step & 3);
    if (!esn && number >>> 32 != 0) {
      number = 1;
    }
    long from = INNER;
    int octets = length;
    int next = protocol;
    if ((how & TUNNEL) != 0 && (kind & CHECKSUM) != 0) {
      // A whole packet inside; otherwise any octets stand for one.
      from = INNER - header();
      octets = header() + length;
      write(from, length, protocol);
      next = ipv6 ? Esp.NEXT_IPV6 : Esp.NEXT_IPV4;
    }
    // A cipher of its own: that of the JDK does not seal two packets with one number.
    new JceCiphers().cipher(suite, esn, keys(1)).seal(from, octets, next, IN, number, sealed);
    int whole = suite.sealedLength(octets);
    boolean spoilt = (kind & SPOILT) != 0;
    if (spoilt) {
      // Not in the number, which may become that of another packet.
      long at = sealed + Esp.HEADER + input.unsignedShort() % (whole - Esp.HEADER);
      Memory.putByte(at, Memory.getByte(at) ^ 0x40);
    } else if (number > top || (top - number < WINDOW && number > first)) {
      accepted.add(number);
      top = Math.max(top, number);
    }
    return whole;
  }

  private int header() {
    return ipv6 ? Ipv6.HEADER : Ipv4.HEADER;
  }

  private void write(long ip, int octets, int protocol) {
    if (ipv6) {
      Ipv6.write(
          ip,
          octets,
          protocol,
          Ipv6.HOPS,
          0,
          0,
          THEIRS.high(),
          THEIRS.low(),
          OURS.high(),
          OURS.low());
    } else {
      Ipv4.write(ip, Ipv4.HEADER + octets, protocol, Frames.THEIRS.bits(), Frames.OURS.bits());
    }
  }

  private void checksum(int length) {
    Memory.putShort(INNER + 16, 0);
    long sum =
        ipv6
            ? Checksum.pseudoHeader(
                THEIRS.high(), THEIRS.low(), OURS.high(), OURS.low(), Ipv4.PROTOCOL_TCP, length)
            : Checksum.pseudoHeader(
                Frames.THEIRS.bits(), Frames.OURS.bits(), Ipv4.PROTOCOL_TCP, length);
    Tcp.putChecksum(INNER, sum + Checksum.sum(INNER, length));
  }

  private void onFrame(boolean left, long frame, int length) {
    int type = Ethernet.type(frame);
    if (type == Ethernet.TYPE_ARP) {
      device.put(Frames.arpReply());
      return;
    }
    long ip = frame + Ethernet.HEADER;
    Frames.require(length <= Ethernet.HEADER + MTU, "length " + length);
    boolean outer = type == Ethernet.TYPE_IPV6;
    int protocol = outer ? Ipv6.nextHeader(ip) : Ipv4.protocol(ip);
    if (outer && (protocol == Ipv6.ICMPV6 || protocol == Ipv6.HOP_BY_HOP)) {
      // Neighbour Discovery and MLD.
      return;
    }
    Frames.require(protocol == Esp.PROTOCOL, "protocol " + protocol + " in clear");
    int header = outer ? Ipv6.HEADER : Ipv4.HEADER;
    int octets = length - Ethernet.HEADER - header;
    Memory.copy(ip + header, LEFT, octets);
    Frames.require(Esp.spi(LEFT) == OUT, "SPI");
    // One that has waited for its neighbour's address may leave behind a later one.
    long number = first + Integer.toUnsignedLong(Esp.sequence(LEFT) - (int) first);
    Frames.require(number > first && sent.add(number), "a number used twice");
    int plain = reader.open(LEFT, octets, number);
    Frames.require(plain >= 0, "what was sent is not authentic");
    long payload = LEFT + suite.header();
    Frames.require(Esp.payloadLength(payload, plain) > 0, "padding");
  }
}
