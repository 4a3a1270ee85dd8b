package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.rddp.device.CapturedDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.group.StackGroup;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.ip.esp.Lifetime;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;

/** Two IP layers on a link, each with a policy, associations and a transport that records. */
final class SecuredLink {
  static final int PORT = 7471;
  static final int OTHER_PORT = 40000;
  static final int SPI = 0x1000;
  private static final int TCP_HEADER = 20;
  private static final long SECOND = 1_000_000_000L;

  final Host here;
  final Host there;

  /** The frames that left one of the hosts, in order. */
  final List<byte[]> frames = new ArrayList<>();

  final LoopedDevice[] ends;
  long now = 5 * SECOND;
  private int nextKey = 1;

  /** Both hosts have the same policy. */
  SecuredLink(SecurityPolicy policy) {
    this(policy, policy);
  }

  SecuredLink(SecurityPolicy ours, SecurityPolicy theirs) {
    NativePacketPool first = new NativePacketPool(256, 9100);
    NativePacketPool second = new NativePacketPool(256, 9100);
    ends = LoopedDevice.pair(first, second, 1500, 64);
    here = new Host(1, ends[0], first, ours);
    there = new Host(2, ends[1], second, theirs);
    here.ip.announce(now);
    there.ip.announce(now);
    // The addresses are checked for duplicates before they are used.
    for (int i = 0; i < 40; i++) {
      pass(SECOND / 10);
    }
    frames.clear();
  }

  /** Everything must be in ESP. */
  static SecuredLink requiring() {
    return new SecuredLink(new SecurityPolicy(List.of(), PolicyAction.REQUIRE));
  }

  void pass(long nanos) {
    now += nanos;
    for (Host each : List.of(here, there)) {
      each.ip.receive(now);
      each.ip.advance(now);
      each.ip.transmit();
    }
  }

  /** Lets what was sent arrive, answers included. */
  void settle() {
    for (int i = 0; i < 4; i++) {
      pass(1000);
    }
  }

  /** A frame that {@link #there} has not received. */
  byte[] sealedButLost(boolean ipv6) {
    Path path = here.path(there.address(ipv6));
    if (!path.hop.resolved()) {
      here.send(there.address(ipv6), 1);
      frames.clear();
      there.heard.clear();
    }
    long packet = here.segment(OTHER_PORT, PORT, 100);
    path.send(packet, here.pool.address(packet), 120, 0, now);
    here.ip.transmit();
    long[] taken = new long[1];
    assertThat(ends[1].receive(taken)).isEqualTo(1);
    there.pool.release(taken[0]);
    return packets().getLast();
  }

  /** New keys of a suite. */
  byte[] keys(EspSuite suite) {
    byte[] keys = new byte[suite.keyOctets()];
    new SplittableRandom(nextKey++).nextBytes(keys);
    return keys;
  }

  static AssociationSettings settings(
      int spi, HostAddress from, HostAddress to, boolean tunnel, EspSuite suite) {
    return AssociationSettings.usual(spi, from, to, tunnel, suite, to);
  }

  /** Associates both hosts in both directions by usual settings. */
  void associate(boolean ipv6, boolean tunnel, EspSuite suite) {
    associate(here, there, SPI, ipv6, tunnel, suite, true, 0);
    associate(there, here, SPI + 1, ipv6, tunnel, suite, true, 0);
  }

  /**
   * Associates two hosts in one direction.
   *
   * @param used number of the last packet that was sent
   */
  void associate(
      Host from,
      Host to,
      int spi,
      boolean ipv6,
      boolean tunnel,
      EspSuite suite,
      boolean esn,
      long used) {
    byte[] keys = keys(suite);
    HostAddress source = from.address(ipv6);
    HostAddress destination = to.address(ipv6);
    from.security.add(
        new AssociationSettings(
            spi,
            source,
            destination,
            tunnel,
            suite,
            esn,
            1024,
            TrafficSelector.of(destination),
            Lifetime.UNLIMITED),
        keys,
        used,
        now);
    to.security.add(
        new AssociationSettings(
            spi,
            source,
            destination,
            tunnel,
            suite,
            esn,
            1024,
            TrafficSelector.of(source),
            Lifetime.UNLIMITED),
        keys,
        used,
        now);
  }

  /** The frames of IP that have left, without Neighbour Discovery. */
  List<byte[]> packets() {
    return frames.stream()
        .filter(each -> protocol(each) != Ipv6.ICMPV6 || each.length > 100)
        .filter(each -> type(each) != Ethernet.TYPE_ARP)
        .toList();
  }

  private static int type(byte[] frame) {
    return ((frame[12] & 0xff) << 8) | (frame[13] & 0xff);
  }

  /** The protocol of a frame's packet. */
  static int protocol(byte[] frame) {
    return frame[Ethernet.HEADER + (type(frame) == Ethernet.TYPE_IPV4 ? 9 : 6)];
  }

  /** Octets of the IP header of a frame's packet. */
  static int header(byte[] frame) {
    return type(frame) == Ethernet.TYPE_IPV4 ? Ipv4.HEADER : Ipv6.HEADER;
  }

  /** Makes a frame arrive at the second host, as if the first had sent it. */
  void inject(byte[] frame) {
    long packet = here.pool.allocate();
    Memory.copy(frame, 0, here.pool.address(packet), frame.length);
    here.pool.window(packet, here.pool.address(packet), frame.length);
    assertThat(ends[0].transmit(new long[] {packet}, 0, 1)).isEqualTo(1);
    settle();
  }

  void expectEveryPacketBack() {
    settle();
    for (Host each : List.of(here, there)) {
      assertThat(each.pool.available()).isEqualTo(each.pool.capacity());
    }
  }

  /** One of the hosts. */
  final class Host implements TransportHandler {
    final NativePacketPool pool;
    final IpSecurity security;
    final IpLayer ip;
    final Ipv4Address ipv4;
    final Ipv6Address ipv6;

    /** What the transport was given: its octets in hexadecimal. */
    final List<byte[]> heard = new ArrayList<>();

    /** How often associations or path MTUs have changed. */
    int changes;

    int ecn;

    /** The ICMP errors that the transport was told of: remote address, code or MTU. */
    final List<String> errors = new ArrayList<>();

    Host(int number, LoopedDevice device, NativePacketPool pool, SecurityPolicy policy) {
      this.pool = pool;
      ipv4 = Ipv4Address.parse("10.0.0." + number);
      ipv6 = Ipv6Address.parse("2001:db8::" + number);
      InterfaceAddress address =
          new InterfaceAddress(ipv4, 24).withIpv6(new Ipv6Network(ipv6, 64, "secret " + number));
      security =
          new IpSecurity(
              policy, address.all(device.macAddress()), new JceCiphers(), new byte[] {1});
      ip =
          new IpLayer(
              new CapturedDevice(
                  device,
                  (sent, at, length) -> {
                    if (sent) {
                      frames.add(Memory.bytes(at, length));
                    }
                  }),
              address,
              StackGroup.alone(),
              this,
              new SplittableRandom(number),
              security);
    }

    HostAddress address(boolean v6) {
      return v6 ? ipv6 : ipv4;
    }

    EspCounters counters() {
      return security.counters();
    }

    @Override
    public void onDatagram(
        int source, long sum, long senderMac, int codepoint, long at, int length, long packet) {
      assertThat(ip.checksum(packet)).as("a verdict on what was sealed").isZero();
      heard.add(Memory.bytes(at, length));
      ecn = codepoint;
    }

    @Override
    public void onUnreachable(int code, Path path, int local, int remote, int sequence) {
      errors.add(path.remote() + " code " + code);
    }

    @Override
    public void onTooBig(Path path, int mtu, int local, int remote, int sequence) {
      errors.add(path.remote() + " MTU " + mtu);
    }

    @Override
    public void onPathMtu(Path path) {
      changes++;
    }

    @Override
    public void onAssociations(Predicate<Path> paths) {
      changes++;
    }

    /** The path to the other host, with its MAC address known. */
    Path path(HostAddress to) {
      Path path = ip.path(to);
      if (path.hop == null) {
        assertThat(path.open()).isTrue();
      }
      return path;
    }

    /** A packet whose window is a TCP header with ports and a payload, numbered from 1. */
    long segment(int localPort, int remotePort, int length) {
      long packet = pool.allocate();
      long at = pool.address(packet);
      Memory.fill(at, TCP_HEADER, 0);
      Memory.putShort(at, localPort);
      Memory.putShort(at + 2, remotePort);
      for (int i = 0; i < length; i++) {
        Memory.putByte(at + TCP_HEADER + i, i + 1);
      }
      pool.window(packet, at, TCP_HEADER + length);
      return packet;
    }

    /** Sends such a segment of so many octets of payload. */
    void send(HostAddress to, int localPort, int remotePort, int length) {
      long packet = segment(localPort, remotePort, length);
      path(to).send(packet, pool.address(packet), TCP_HEADER + length, Ipv4.ECT_0, now);
      settle();
    }

    /** Sends such a segment between usual ports. */
    void send(HostAddress to, int length) {
      send(to, OTHER_PORT, PORT, length);
    }
  }
}
