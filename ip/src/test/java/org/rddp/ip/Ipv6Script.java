package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.rddp.device.NativePacketPool;
import org.rddp.device.ScriptedDevice;
import org.rddp.group.StackGroup;
import org.rddp.group.StackMember;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Fragment;
import org.rddp.wire.Memory;
import org.rddp.wire.Ndp;

/** An IP layer with IPv6, with scripted frames below and a recording transport above. */
final class Ipv6Script implements TransportHandler {
  static final long SECOND = 1_000_000_000L;
  static final Ipv6Address OURS = Ipv6Address.parse("2001:db8::1");
  static final Ipv6Address PEER = Ipv6Address.parse("2001:db8::2");
  static final Ipv6Address OTHER = Ipv6Address.parse("2001:db8::3");
  static final Ipv6Address FAR = Ipv6Address.parse("2001:db8:1::7");
  static final Ipv6Address GATEWAY = Ipv6Address.parse("fe80::fe");
  static final long PEER_MAC = 0x02_00_00_00_00_02L;
  static final long OTHER_MAC = 0x02_00_00_00_00_66L;
  static final int UDP = 17;
  private static final int ARP_TYPE = 13;
  private static final int ARP = 6;

  private static final Ipv6Network NETWORK =
      new Ipv6Network(OURS, 64, Optional.of(GATEWAY), false, "a secret");

  private static final Ipv6Network ADVERTISED =
      new Ipv6Network(OURS, 64, Optional.empty(), true, "a secret");

  private static final InterfaceAddress IPV4 =
      new InterfaceAddress(Ipv4Address.parse("10.0.0.1"), 24);

  final NativePacketPool pool = new NativePacketPool(512, 2048);
  final ScriptedDevice device = new ScriptedDevice(pool, 1500);
  final List<String> heard = new ArrayList<>();
  final Ipv6Address linkLocal = NETWORK.linkLocal(ScriptedDevice.OUR_MAC);
  final IpLayer ip;
  private final long frame = Memory.allocate(4096);
  final long header = frame + Ethernet.HEADER;
  final long payload = header + Ipv6.HEADER;
  long now = 5 * SECOND;

  /** The last datagram handed up. */
  byte[] datagram = {};

  int ecn;

  /** With a configured gateway. */
  Ipv6Script() {
    this(StackGroup.alone());
  }

  private Ipv6Script(InterfaceAddress address, StackMember member) {
    this(address, member, null);
  }

  private Ipv6Script(InterfaceAddress address, StackMember member, IpSecurity security) {
    ip = new IpLayer(device, address, member, this, new SplittableRandom(1), security);
  }

  /** With the routers that advertise themselves, under a security policy. */
  static Ipv6Script withRouterAdvertisements(IpSecurity security) {
    return new Ipv6Script(IPV4.withIpv6(ADVERTISED), StackGroup.alone(), security);
  }

  /** One of several stacks, with a configured gateway. */
  Ipv6Script(StackMember member) {
    this(IPV4.withIpv6(NETWORK), member);
  }

  /** With the routers that advertise themselves. */
  static Ipv6Script withRouterAdvertisements(StackMember member) {
    return new Ipv6Script(IPV4.withIpv6(ADVERTISED), member);
  }

  /** Without IPv4, with a configured gateway. */
  static Ipv6Script withoutIpv4() {
    return new Ipv6Script(new InterfaceAddress(NETWORK), StackGroup.alone());
  }

  @Override
  public void onDatagram(
      int source, long sum, long senderMac, int codepoint, long address, int length, long packet) {
    heard.add(ip.path(source).remote() + " " + length);
    datagram = Memory.bytes(address, length);
    ecn = codepoint;
  }

  @Override
  public void onUnreachable(int code, Path path, int localPort, int remotePort, int sequence) {
    heard.add("unreachable " + code);
  }

  @Override
  public void onTooBig(Path path, int mtu, int localPort, int remotePort, int sequence) {
    heard.add("too big " + mtu);
  }

  @Override
  public void onPathMtu(Path path) {
    heard.add("path " + path.remote() + " " + path.mtu());
  }

  @Override
  public void onIpv6LinkMtu() {
    heard.add("link");
  }

  /** A frame to us alone from the peer with a packet, whose payload is written afterwards. */
  void build(int next, int hops, Ipv6Address source, Ipv6Address destination, int length) {
    boolean group = destination.multicast();
    long mac = group ? Ethernet.ipv6Group(destination.low()) : ScriptedDevice.OUR_MAC;
    Ethernet.write(frame, mac, PEER_MAC, Ethernet.TYPE_IPV6);
    Ipv6.write(
        header,
        length,
        next,
        hops,
        Ipv4.NOT_ECT,
        0,
        source.high(),
        source.low(),
        destination.high(),
        destination.low());
  }

  /** A packet from a host to us whose payload is numbered from {@code first}. */
  void packet(int next, Ipv6Address source, int length, int first) {
    build(next, 64, source, OURS, length);
    for (int i = 0; i < length; i++) {
      Memory.putByte(payload + i, first + i);
    }
  }

  /** A packet whose payload is written in hexadecimal arrives. */
  void receive(int next, Ipv6Address source, Ipv6Address destination, String hex) {
    byte[] octets = HexFormat.of().parseHex(hex.replace(" ", ""));
    build(next, 64, source, destination, octets.length);
    Memory.copy(octets, 0, payload, octets.length);
    receive();
  }

  /** A fragment of a packet with TCP whose octets are numbered from 0. */
  void fragment(Ipv6Address source, int identification, int offset, int length, boolean more) {
    packet(Ipv6.FRAGMENT, source, Ipv6Fragment.HEADER + length, offset - Ipv6Fragment.HEADER);
    Ipv6Fragment.write(payload, Ipv4.PROTOCOL_TCP, offset, more, identification);
    receive();
  }

  /** Completes the ICMPv6 message built, which arrives. */
  void message(int length) {
    Icmpv6.complete(payload, length, Icmpv6.pseudoHeader(header, length));
    receive();
  }

  void solicit(int hops, Ipv6Address source, Ipv6Address target, Ipv6Address to, long mac) {
    neighbour(Icmpv6.NEIGHBOUR_SOLICITATION, hops, 0, source, target, to, mac);
  }

  void advertise(int hops, int flags, Ipv6Address target, Ipv6Address to, long mac) {
    neighbour(Icmpv6.NEIGHBOUR_ADVERTISEMENT, hops, flags, target, target, to, mac);
  }

  private void neighbour(
      int type,
      int hops,
      int flags,
      Ipv6Address source,
      Ipv6Address target,
      Ipv6Address to,
      long mac) {
    boolean asks = type == Icmpv6.NEIGHBOUR_SOLICITATION;
    int option = asks ? Ndp.SOURCE_LINK_LAYER : Ndp.TARGET_LINK_LAYER;
    int kept = mac == 0 ? 0 : option;
    int length = Ndp.writeNeighbour(payload, type, flags, target.high(), target.low(), kept, mac);
    build(Ipv6.ICMPV6, hops, source, to, length);
    message(length);
  }

  /** An error from a router that quotes a TCP packet of so many octets. */
  void error(int type, int code, int parameter, Ipv6Address from, Ipv6Address to, int quoted) {
    int length = Icmpv6.HEADER + Ipv6.HEADER + 8;
    build(Ipv6.ICMPV6, 64, GATEWAY, OURS, length);
    Memory.fill(payload, length, 0);
    Ipv6.write(
        payload + Icmpv6.HEADER,
        quoted - Ipv6.HEADER,
        Ipv4.PROTOCOL_TCP,
        60,
        0,
        0,
        from.high(),
        from.low(),
        to.high(),
        to.low());
    Icmpv6.write(payload, type, code, parameter);
    message(length);
  }

  /** The frame built arrives. */
  void receive() {
    receive(Ethernet.HEADER + Ipv6.HEADER + Ipv6.payloadLength(header));
  }

  /** The first octets of the frame built arrive. */
  void receive(int octets) {
    device.put(Memory.bytes(frame, octets));
    ip.receive(now);
    ip.transmit();
  }

  /** We send so many octets to a host. */
  void send(Ipv6Address to, int length) {
    send(open(to), length);
  }

  /** The path to a host, with its next hop. */
  Path open(Ipv6Address to) {
    Path path = ip.path(to);
    if (path.hop == null) {
      assertThat(path.open()).isTrue();
    }
    return path;
  }

  /** We send so many octets by a path. */
  void send(Path path, int length) {
    long packet = pool.allocate();
    path.send(packet, pool.address(packet), length, Ipv4.ECT_0, now);
    ip.transmit();
  }

  void pass(long nanoseconds) {
    now += nanoseconds;
    ip.advance(now);
    ip.transmit();
  }

  /** Takes the next frame that was sent, but for ARP's announcements; false for none. */
  boolean take() {
    byte[] next = device.take();
    while (next != null && next[ARP_TYPE] == ARP) {
      next = device.take();
    }
    if (next == null) {
      return false;
    }
    Memory.copy(next, 0, frame, next.length);
    assertThat(Ethernet.type(frame)).isEqualTo(Ethernet.TYPE_IPV6);
    assertThat(Ipv6.wellFormed(header, next.length - Ethernet.HEADER)).isTrue();
    return true;
  }

  /** The next frame is an ICMPv6 message that has come from and goes to those addresses. */
  void expectMessage(int type, Ipv6Address source, Ipv6Address destination, long mac) {
    assertThat(take()).isTrue();
    int length = Ipv6.payloadLength(header);
    assertThat(Ethernet.destination(frame)).isEqualTo(mac);
    assertThat(Ipv6.nextHeader(header)).isEqualTo(Ipv6.ICMPV6);
    assertThat(new Ipv6Address(Ipv6.sourceHigh(header), Ipv6.sourceLow(header))).isEqualTo(source);
    assertThat(new Ipv6Address(Ipv6.destinationHigh(header), Ipv6.destinationLow(header)))
        .isEqualTo(destination);
    assertThat(Icmpv6.wellFormed(payload, length, Icmpv6.pseudoHeader(header, length))).isTrue();
    assertThat(Icmpv6.type(payload)).isEqualTo(type);
  }

  /** The next frame is an error to the peer. */
  void expectError(int type, int code, int parameter) {
    expectMessage(type, OURS, PEER, PEER_MAC);
    assertThat(Icmpv6.code(payload)).isEqualTo(code);
    assertThat(Icmpv6.parameter(payload)).isEqualTo(parameter);
  }

  void expectNothing() {
    assertThat(take()).isFalse();
  }

  long frame() {
    return frame;
  }

  void expectEveryPacketBack() {
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }
}
