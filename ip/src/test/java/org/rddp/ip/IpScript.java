package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.rddp.device.NativePacketPool;
import org.rddp.device.ScriptedDevice;
import org.rddp.group.StackGroup;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Vlan;

/** An IP layer with scripted frames below and a recording transport above. */
final class IpScript implements TransportHandler {
  static final long SECOND = 1_000_000_000L;
  static final int OURS = Ipv4Address.parse("10.0.0.1").bits();
  static final int PEER = Ipv4Address.parse("10.0.0.2").bits();
  static final int OTHER = Ipv4Address.parse("10.0.0.3").bits();
  static final int FAR = Ipv4Address.parse("192.0.2.7").bits();
  static final long PEER_MAC = 0x02_00_00_00_00_02L;
  static final long OTHER_MAC = 0x02_00_00_00_00_66L;
  static final int UDP = 17;

  final NativePacketPool pool = new NativePacketPool(512, 2048);
  final ScriptedDevice device = new ScriptedDevice(pool, 1500);
  final List<String> heard = new ArrayList<>();
  final IpLayer ip;
  private final int vlan;
  private final long frame = Memory.allocate(4096);
  long now = 5 * SECOND;

  /** The last datagram handed up. */
  byte[] datagram = {};

  int ecn;

  /** What the transport throws when a datagram comes; usually null. */
  RuntimeException failure;

  /** Where the header of the last frame taken or built lies. */
  long header;

  IpScript() {
    this(Vlan.NONE);
  }

  IpScript(int vlan) {
    this(vlan, 0);
  }

  IpScript(int vlan, int priority) {
    this.vlan = vlan;
    Ipv4Address ours = new Ipv4Address(OURS);
    Optional<Ipv4Address> gateway = Optional.of(Ipv4Address.parse("10.0.0.254"));
    ip =
        new IpLayer(
            device,
            new InterfaceAddress(
                Optional.of(new Ipv4Network(ours, 24, gateway)),
                Optional.empty(),
                1500,
                vlan,
                priority),
            StackGroup.alone(),
            this,
            new SplittableRandom(1));
  }

  @Override
  public void onDatagram(
      int source, long sum, long senderMac, int codepoint, long address, int length, long packet) {
    heard.add(new Ipv4Address(source) + " " + length);
    if (failure != null) {
      throw failure;
    }
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
    heard.add("path " + path.mtu());
  }

  /** The path to an address, with its next hop. */
  Path open(int remote) {
    Path path = ip.path(remote);
    assertThat(path.open()).isTrue();
    return path;
  }

  /** A packet of so many octets of payload, numbered from {@code first}; not received yet. */
  void build(int protocol, int source, int length, int first) {
    ethernet(ScriptedDevice.OUR_MAC, Ethernet.TYPE_IPV4);
    for (int i = 0; i < length; i++) {
      Memory.putByte(header + Ipv4.HEADER + i, first + i);
    }
    Ipv4.write(header, Ipv4.HEADER + length, protocol, source, OURS);
  }

  /** The Ethernet header of a frame from the peer. */
  void ethernet(long destination, int type) {
    if (vlan == Vlan.NONE) {
      Ethernet.write(frame, destination, PEER_MAC, type);
      header = frame + Ethernet.HEADER;
    } else {
      Vlan.write(frame, destination, PEER_MAC, vlan, 0, type);
      header = frame + Vlan.HEADER;
    }
  }

  /** A tag of another VLAN, or of none, in front of a packet. */
  void tagged(int identifier, int source, int length) {
    Vlan.write(frame, ScriptedDevice.OUR_MAC, PEER_MAC, identifier, 0, Ethernet.TYPE_IPV4);
    header = frame + Vlan.HEADER;
    Ipv4.write(header, Ipv4.HEADER + length, Ipv4.PROTOCOL_TCP, source, OURS);
    receive();
  }

  void untagged(int source, int length) {
    Ethernet.write(frame, ScriptedDevice.OUR_MAC, PEER_MAC, Ethernet.TYPE_IPV4);
    header = frame + Ethernet.HEADER;
    Ipv4.write(header, Ipv4.HEADER + length, Ipv4.PROTOCOL_TCP, source, OURS);
    receive();
  }

  /** The packet built arrives. */
  void receive() {
    receive(Ipv4.totalLength(header));
  }

  /** So many octets behind the Ethernet header arrive. */
  void receive(int octets) {
    device.put(Memory.bytes(frame, (int) (header - frame) + octets));
    ip.receive(now);
    ip.transmit();
  }

  /** The packet built waits in the device. */
  void put() {
    device.put(Memory.bytes(frame, (int) (header - frame) + Ipv4.totalLength(header)));
  }

  /** A packet arrives. */
  void packet(int protocol, int source, int length) {
    build(protocol, source, length, 0);
    receive();
  }

  /** A fragment of a datagram whose octets are numbered from 0. */
  void fragment(int source, int identification, int offset, int length, boolean more) {
    fragment(Ipv4.PROTOCOL_TCP, source, identification, offset, length, more, Ipv4.NOT_ECT);
  }

  void fragment(
      int protocol,
      int source,
      int identification,
      int offset,
      int length,
      boolean more,
      int codepoint) {
    build(protocol, source, length, offset);
    Ipv4.write(header, Ipv4.HEADER + length, protocol, source, OURS, codepoint);
    Ipv4.writeFragment(header, identification, offset, more);
    receive();
  }

  /** An ICMP message of so many octets, zero but for type and code, with its checksum. */
  void icmp(int type, int code, int length) {
    build(Ipv4.PROTOCOL_ICMP, PEER, length, 0);
    long message = header + Ipv4.HEADER;
    Memory.fill(message, length, 0);
    Icmpv4.write(message, type, code, 0, length);
  }

  /** The ICMP message built quotes a packet. */
  void quote(int protocol, int source, int destination, int length, int nextHopMtu) {
    long message = header + Ipv4.HEADER;
    int octets = Ipv4.totalLength(header) - Ipv4.HEADER;
    Ipv4.write(message + Icmpv4.HEADER, length, protocol, source, destination);
    Icmpv4.write(message, Icmpv4.type(message), Icmpv4.code(message), nextHopMtu, octets);
  }

  void arp(int operation, long senderMac, int sender, int target) {
    ethernet(Ethernet.BROADCAST, Ethernet.TYPE_ARP);
    Arp.write(header, operation, senderMac, sender, 0, target);
    receive(Arp.LENGTH);
  }

  void pass(long nanoseconds) {
    now += nanoseconds;
    ip.advance(now);
    ip.transmit();
  }

  /** Takes the next frame that was sent; the octets behind its Ethernet header, -1 for none. */
  int take() {
    byte[] next = device.take();
    if (next == null) {
      return -1;
    }
    Memory.copy(next, 0, frame, next.length);
    boolean tag = Ethernet.type(frame) == Vlan.TYPE_TAGGED;
    header = frame + (tag ? Vlan.HEADER : Ethernet.HEADER);
    return next.length - (int) (header - frame);
  }

  long frame() {
    return frame;
  }

  /** The next frame is an ICMP error of that kind, which quotes so many octets; or nothing is. */
  void expectError(int type, int code, int quoted) {
    assertThat(take()).isEqualTo(Ipv4.HEADER + Icmpv4.HEADER + quoted);
    long message = header + Ipv4.HEADER;
    assertThat(Ethernet.destination(frame)).isEqualTo(PEER_MAC);
    assertThat(Ipv4.intact(header)).isTrue();
    assertThat(Ipv4.source(header)).isEqualTo(OURS);
    assertThat(Ipv4.protocol(header)).isEqualTo(Ipv4.PROTOCOL_ICMP);
    assertThat(Icmpv4.wellFormed(message, Icmpv4.HEADER + quoted)).isTrue();
    assertThat(Icmpv4.type(message)).isEqualTo(type);
    assertThat(Icmpv4.code(message)).isEqualTo(code);
    assertThat(Ipv4.destination(Icmpv4.quoted(message))).isEqualTo(OURS);
    assertThat(Ipv4.destination(header)).isEqualTo(Ipv4.source(Icmpv4.quoted(message)));
  }

  void expectNothing() {
    assertThat(take()).isEqualTo(-1);
  }

  void expectEveryPacketBack() {
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }
}
