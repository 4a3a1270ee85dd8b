package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.SecuredLink.OTHER_PORT;
import static org.rddp.ip.SecuredLink.PORT;
import static org.rddp.ip.SecuredLink.SPI;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.CaptureSink;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.OffloadingDevice;
import org.rddp.device.Offloads;
import org.rddp.group.StackGroup;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.wire.Esp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/** Packets of interfaces with a security policy, in ESP and in clear. */
class EspTest {
  private static final EspSuite GCM = EspSuite.AES128_GCM16;
  private static final int ALL = Ethernet.HEADER;
  private static final int ALL_OFFLOADS = Offloads.CHECKSUM | Offloads.SEGMENTATION;

  static Stream<Arguments> everyKind() {
    return Arrays.stream(EspSuite.values())
        .flatMap(suite ->
            Stream.of(false, true)
                .flatMap(ipv6 ->
                    Stream.of(false, true).map(tunnel -> Arguments.of(suite, ipv6, tunnel))));
  }

  @ParameterizedTest(name = "{0}, IPv6 {1}, tunnel {2}")
  @MethodSource("everyKind")
  @Tag("DDP-8.4-02") // encrypted
  @Tag("DDP-8.4.2-03") // tunnel mode
  @Tag("DDP-8.4.2-04") // transport mode
  @Tag("RDMAP-8.2.2-03") // tunnel mode
  @Tag("RDMAP-8.2.2-04") // transport mode
  @DisplayName(
      "RFC 4303: what is sent arrives, the wire has ESP only, and the sender's packet stays")
  void shouldCarryPackets(EspSuite suite, boolean ipv6, boolean tunnel) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(ipv6, tunnel, suite);
    HostAddress to = link.there.address(ipv6);
    Path path = link.here.path(to);
    long packet = link.here.segment(OTHER_PORT, PORT, 300);
    byte[] plain = Memory.bytes(link.here.pool.address(packet), 320);
    for (int i = 0; i < 3; i++) {
      link.here.pool.retain(packet);
      path.send(packet, link.here.pool.address(packet), 320, Ipv4.ECT_0, link.now);
      assertThat(link.here.pool.shared(packet)).as("held by the device").isFalse();
      link.settle();
      assertThat(Memory.bytes(link.here.pool.address(packet), 320)).isEqualTo(plain);
    }
    link.here.pool.release(packet);
    assertThat(link.there.heard).hasSize(3).allSatisfy(each -> assertThat(each).isEqualTo(plain));
    assertThat(link.there.ecn).isEqualTo(Ipv4.ECT_0);
    assertThat(link.here.counters().sealed).isEqualTo(3);
    assertThat(link.there.counters().opened).isEqualTo(3);
    List<byte[]> sent = link.packets();
    assertThat(sent).hasSize(3);
    String tail = HexFormat.of().formatHex(plain, 20, 60);
    for (int i = 0; i < 3; i++) {
      byte[] frame = sent.get(i);
      assertThat(SecuredLink.protocol(frame)).isEqualTo(Esp.PROTOCOL);
      int inner = tunnel ? (ipv6 ? Ipv6.HEADER : Ipv4.HEADER) : 0;
      int headers = Ethernet.HEADER + SecuredLink.header(frame);
      assertThat(frame).hasSize(headers + suite.sealedLength(inner + 320));
      assertThat(HexFormat.of().formatHex(frame).contains(tail))
          .as("readable")
          .isEqualTo(suite == EspSuite.NULL_SHA1 || suite == EspSuite.NULL_SHA256);
      assertThat(frame[headers + 7]).as("sequence number").isEqualTo((byte) (i + 1));
    }
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @CsvSource({
    "1500, false, false, 1446",
    "9000, false, false, 8946",
    "1500, true, false, 1426",
    "1500, false, true, 1426",
    "1500, true, true, 1386"
  })
  @DisplayName("a packet has room for ESP, and the largest segment fits the MTU")
  void shouldLeaveRoom(int mtu, boolean ipv6, boolean tunnel, int expected) {
    SecuredLink link = SecuredLink.requiring();
    int before = link.here.path(link.there.address(ipv6)).room(mtu);
    assertThat(before).as("while nothing is known").isEqualTo(ipv6 ? mtu - 74 : mtu - 54);
    link.associate(ipv6, tunnel, GCM);
    assertThat(link.here.changes).as("one is inbound").isEqualTo(1);
    assertThat(link.here.path(link.there.address(ipv6)).room(mtu)).isEqualTo(expected);
    if (mtu == 1500) {
      link.here.send(link.there.address(ipv6), expected - Tcp.HEADER);
      assertThat(link.there.heard).hasSize(1);
      int longest = link.packets().getFirst().length - Ethernet.HEADER;
      assertThat(longest).isBetween(1497, 1500);
      link.here.send(link.there.address(ipv6), expected - Tcp.HEADER + 4);
      assertThat(link.there.heard).as("too long").hasSize(1);
      assertThat(link.here.counters().tooLong).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("with a policy no long frames and no offloads are offered to TCP")
  void shouldOfferNoOffloads(boolean secured) {
    NativePacketPool pool = new NativePacketPool(64, 2048, 4, 9100);
    FrameDevice link = LoopedDevice.pair(pool, pool, 1500, 9000, 8)[0];
    Ipv4Address ours = Ipv4Address.parse("10.0.0.1");
    IpSecurity security =
        new IpSecurity(
            new SecurityPolicy(List.of(), PolicyAction.BYPASS),
            List.of(ours),
            new JceCiphers(),
            new byte[1]);
    IpSecurity its = secured ? security : null;
    assertThat(layer(link, ours, its).longestFrame()).isEqualTo(secured ? 1500 : 9000);
    IpLayer card = layer(new OffloadingDevice(link, ALL_OFFLOADS), ours, its);
    assertThat(card.offloadsChecksum()).isEqualTo(!secured);
    assertThat(card.offloadsSegmentation()).isEqualTo(!secured);
  }

  private static IpLayer layer(FrameDevice device, Ipv4Address ours, IpSecurity security) {
    return new IpLayer(
        device,
        new InterfaceAddress(ours, 24),
        StackGroup.alone(),
        new IpScript(),
        new SplittableRandom(1),
        security);
  }

  @Test
  @DisplayName("a tunnel and TCP keep one path open, each until it is done with it")
  void shouldKeepThePathOpenForBoth() {
    SecuredLink link = SecuredLink.requiring();
    link.associate(link.here, link.there, SPI, false, true, GCM, true, 0);
    Path path = link.here.path(link.there.ipv4);
    assertThat(path.open()).isTrue();
    assertThat(link.here.security.delete(SPI, link.there.ipv4)).isTrue();
    assertThat(path.hop).isNotNull();
    link.associate(link.here, link.there, SPI + 1, false, true, GCM, true, 0);
    path.close();
    link.here.send(link.there.ipv4, 8);
    assertThat(link.there.heard).hasSize(1);
    assertThat(link.here.security.delete(SPI + 1, link.there.ipv4)).isTrue();
    assertThat(path.hop).isNull();
  }

  @Test
  @DisplayName("without a policy the MSS is what it was, and what a policy lets pass, too")
  void shouldLeaveOthersAlone() {
    SecuredLink link = new SecuredLink(new SecurityPolicy(List.of(), PolicyAction.BYPASS));
    assertThat(link.here.path(link.there.ipv4).room(1500)).isEqualTo(1480);
    link.here.send(link.there.ipv4, 10);
    assertThat(link.there.heard).hasSize(1);
    assertThat(SecuredLink.protocol(link.packets().getFirst())).isEqualTo(Ipv4.PROTOCOL_TCP);
  }

  @Test
  @DisplayName("the first rule that is for a packet decides, by address and ports")
  void shouldFollowTheFirstRule() {
    AddressPrefix network = AddressPrefix.parse("10.0.0.0/24");
    SecurityPolicy policy =
        new SecurityPolicy(
            List.of(
                new SecurityPolicy.Rule(
                    new TrafficSelector(network, false, 0, 80), PolicyAction.DISCARD),
                new SecurityPolicy.Rule(
                    new TrafficSelector(network, false, 0, PORT), PolicyAction.BYPASS),
                new SecurityPolicy.Rule(
                    new TrafficSelector(network, false, 0, 0), PolicyAction.REQUIRE)),
            PolicyAction.BYPASS);
    SecurityPolicy open = new SecurityPolicy(List.of(), PolicyAction.BYPASS);
    SecuredLink link = new SecuredLink(policy, open);
    link.here.send(link.there.ipv4, 99, PORT, 8);
    assertThat(link.there.heard).as("clear").hasSize(1);
    link.here.send(link.there.ipv4, 99, 80, 8);
    assertThat(link.here.counters().discarded).isEqualTo(1);
    link.here.send(link.there.ipv4, 99, 81, 8);
    assertThat(link.here.counters().noAssociation).isEqualTo(1);
    link.here.send(link.there.ipv6, 99, 81, 8);
    assertThat(link.there.heard).as("another network").hasSize(2);
    // The other host's answers: from the port that may be clear, and from others.
    link.there.send(link.here.ipv4, PORT, 99, 8);
    assertThat(link.here.heard).hasSize(1);
    link.there.send(link.here.ipv4, 81, 99, 8);
    link.there.send(link.here.ipv4, 80, 99, 8);
    assertThat(link.here.heard).hasSize(1);
    assertThat(link.here.counters().clear).isEqualTo(1);
    assertThat(link.here.counters().discarded).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("what we send to ourselves needs no ESP")
  void shouldNotSealWhatStaysHere(boolean ipv6) {
    SecuredLink link = SecuredLink.requiring();
    link.here.send(link.here.address(ipv6), 8);
    if (!ipv6) {
      assertThat(link.here.heard).hasSize(1);
    }
    assertThat(link.here.counters().noAssociation).isZero();
    assertThat(link.packets()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("an echo in ESP is answered in ESP")
  void shouldAnswerEchoes(boolean tunnel) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(false, tunnel, GCM);
    long packet = link.here.pool.allocate();
    long message = link.here.pool.address(packet);
    Memory.fill(message, 16, 0);
    Icmpv4.write(message, Icmpv4.ECHO, 0, 7, 16);
    Path path = link.here.path(link.there.ipv4);
    path.reply(Ipv4.PROTOCOL_ICMP, packet, message, 16, Ipv4.NOT_ECT, link.ends[1].macAddress());
    link.here.pool.release(packet);
    link.settle();
    assertThat(link.there.ip.counters().echoes).isEqualTo(1);
    assertThat(link.there.counters().sealed).isEqualTo(1);
    assertThat(link.here.counters().opened).isEqualTo(1);
    assertThat(link.here.ip.counters().icmpIgnored).as("the reply").isEqualTo(1);
    assertThat(link.packets())
        .hasSize(2)
        .allSatisfy(each -> assertThat(SecuredLink.protocol(each)).isEqualTo(Esp.PROTOCOL));
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "RFC 4301 section 8.2.1: an error about a packet sent lately lowers the MTU, no other")
  void shouldBelieveErrorsAboutSealedPackets(boolean ipv6) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(ipv6, false, GCM);
    Path path = link.there.path(link.here.address(ipv6));
    link.there.send(link.here.address(ipv6), 1300);
    byte[] quoted = link.packets().getLast();
    int at = ALL + SecuredLink.header(quoted);
    byte[] another = quoted.clone();
    another[at + 7]++;
    link.inject(error(link, another, ipv6, 1300));
    assertThat(path.mtu()).as("a number that was not sent").isEqualTo(1500);
    another = quoted.clone();
    another[at + 3] ^= 1;
    link.inject(error(link, another, ipv6, 1300));
    assertThat(path.mtu()).as("another SPI").isEqualTo(1500);
    int changes = link.there.changes;
    link.inject(error(link, quoted, ipv6, 1300));
    assertThat(path.mtu()).isEqualTo(1300);
    assertThat(link.there.changes).isEqualTo(changes + 1);
    assertThat(path.room(path.mtu())).isEqualTo(ipv6 ? 1226 : 1246);
  }

  /**
   * Sends the second host an ICMP error of the first about a TCP packet that it has sent to a host.
   */
  private static void tell(SecuredLink link, boolean ipv6, String host) {
    long packet = link.here.pool.allocate();
    long message = link.here.pool.address(packet);
    Memory.fill(message, 64, 0);
    long quoted = message + 8;
    int length = 8 + 8;
    Path path = link.here.path(link.there.address(ipv6));
    if (ipv6) {
      Ipv6Address from = link.there.ipv6;
      Ipv6Address to = Ipv6Address.parse(host);
      Ipv6.write(
          quoted, 1000, Ipv4.PROTOCOL_TCP, 64, 0, 0, from.high(), from.low(), to.high(), to.low());
      ports(quoted + Ipv6.HEADER);
      length += Ipv6.HEADER;
      Icmpv6.write(message, Icmpv6.UNREACHABLE, Icmpv6.PORT_UNREACHABLE, 0);
      Icmpv6.complete(message, length, path.pseudoHeader(Ipv6.ICMPV6, length));
    } else {
      int to = Ipv4Address.parse(host).bits();
      Ipv4.write(quoted, 1000, Ipv4.PROTOCOL_TCP, link.there.ipv4.bits(), to);
      ports(quoted + Ipv4.HEADER);
      length += Ipv4.HEADER;
      Icmpv4.write(message, Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 0, length);
    }
    int protocol = ipv6 ? Ipv6.ICMPV6 : Ipv4.PROTOCOL_ICMP;
    path.reply(protocol, packet, message, length, 0, link.ends[1].macAddress());
    link.here.pool.release(packet);
    link.settle();
  }

  private static void ports(long tcp) {
    Memory.putShort(tcp, SecuredLink.OTHER_PORT);
    Memory.putShort(tcp + 2, SecuredLink.PORT);
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  @DisplayName(
      "RFC 4301 section 6.2: an ICMP error in ESP is believed about its association's packets")
  void shouldBelieveErrorsInEspAboutTheirAssociation(boolean ipv6, boolean tunnel) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(ipv6, tunnel, GCM);
    tell(link, ipv6, ipv6 ? "2001:db8::9" : "10.0.0.9");
    assertThat(link.there.errors).isEmpty();
    assertThat(link.there.counters().mismatched).isEqualTo(1);
    tell(link, ipv6, ipv6 ? "2001:db8::1" : "10.0.0.1");
    assertThat(link.there.errors).containsExactly(ipv6 ? "2001:db8::1 code 3" : "10.0.0.1 code 3");
    assertThat(link.there.ip.counters().icmpErrors).isEqualTo(2);
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "RFC 4301 section 6.1.1: one in clear is not believed about packets that leave in ESP")
  void shouldNotBelieveClearErrorsAboutSealedTraffic(boolean ipv6) {
    AddressPrefix peer = AddressPrefix.parse(ipv6 ? "2001:db8::1" : "10.0.0.1");
    TrafficSelector tcp = new TrafficSelector(peer, true, 0, 0);
    SecurityPolicy theirs =
        new SecurityPolicy(
            List.of(new SecurityPolicy.Rule(tcp, PolicyAction.REQUIRE)), PolicyAction.BYPASS);
    SecuredLink link = new SecuredLink(new SecurityPolicy(List.of(), PolicyAction.BYPASS), theirs);
    tell(link, ipv6, ipv6 ? "2001:db8::1" : "10.0.0.1");
    assertThat(link.there.errors).isEmpty();
    assertThat(link.there.counters().clear).isEqualTo(1);
    tell(link, ipv6, ipv6 ? "2001:db8::9" : "10.0.0.9");
    assertThat(link.there.errors).as("those packets are in clear").hasSize(1);
    link.expectEveryPacketBack();
  }

  /** An ICMP error from the first host about a frame of the second. */
  private static byte[] error(SecuredLink link, byte[] frame, boolean ipv6, int mtu) {
    int quoted = 64;
    int header = ipv6 ? Ipv6.HEADER : Ipv4.HEADER;
    long at = Memory.allocate(256);
    Ethernet.write(
        at,
        link.ends[1].macAddress(),
        link.ends[0].macAddress(),
        ipv6 ? Ethernet.TYPE_IPV6 : Ethernet.TYPE_IPV4);
    long packet = at + ALL;
    long message = packet + header;
    int length = 8 + quoted;
    Memory.copy(frame, ALL, message + 8, quoted);
    if (ipv6) {
      Ipv6Address from = link.here.ipv6;
      Ipv6Address to = link.there.ipv6;
      Ipv6.write(
          packet, length, Ipv6.ICMPV6, 64, 0, 0, from.high(), from.low(), to.high(), to.low());
      Icmpv6.write(message, Icmpv6.PACKET_TOO_BIG, 0, mtu);
      Icmpv6.complete(message, length, Icmpv6.pseudoHeader(packet, length));
    } else {
      Ipv4.write(
          packet,
          header + length,
          Ipv4.PROTOCOL_ICMP,
          link.here.ipv4.bits(),
          link.there.ipv4.bits());
      Icmpv4.write(message, Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, mtu, length);
    }
    return Memory.bytes(at, ALL + header + length);
  }

  @ParameterizedTest(name = "tunnel {0}, {2} as the next header")
  @CsvSource({"false, 60, 6", "true, 60, 6", "true, 43, 6", "false, 60, 44", "true, 44, 6"})
  @DisplayName("RFC 4303 section 3.1.1: extension headers of IPv6 may be in ESP, fragments not")
  void shouldReadExtensionHeadersInEsp(boolean tunnel, int first, int second) {
    SecuredLink link = SecuredLink.requiring();
    Ipv6Address from = link.here.ipv6;
    Ipv6Address to = link.there.ipv6;
    byte[] keys = link.keys(GCM);
    AssociationSettings settings = AssociationSettings.usual(SPI, from, to, tunnel, GCM, from);
    link.there.security.add(settings, keys, 0, link.now);
    long plain = Memory.allocate(256);
    int inner = tunnel ? Ipv6.HEADER : 0;
    int length = 8 + 120;
    if (tunnel) {
      Ipv6.write(plain, length, first, 64, 0, 0, from.high(), from.low(), to.high(), to.low());
    }
    Memory.fill(plain + inner, length, 0);
    Memory.putByte(plain + inner, second);
    // An option of four octets of padding; routing of type 0 without segments left; a first
    // fragment.
    Memory.putByte(plain + inner + 2, first == Ipv6.DESTINATION_OPTIONS ? 1 : 0);
    Memory.putByte(
        plain + inner + 3,
        switch (first) {
          case Ipv6.DESTINATION_OPTIONS -> 4;
          case Ipv6.FRAGMENT -> 1;
          default -> 0;
        });
    long packet = link.here.segment(OTHER_PORT, PORT, 100);
    byte[] segment = Memory.bytes(link.here.pool.address(packet), 120);
    Memory.copy(segment, 0, plain + inner + 8, 120);
    link.here.pool.release(packet);
    long at = Memory.allocate(512);
    Ethernet.write(at, link.ends[1].macAddress(), link.ends[0].macAddress(), Ethernet.TYPE_IPV6);
    int sealed = GCM.sealedLength(inner + length);
    Ipv6.write(
        at + ALL, sealed, Esp.PROTOCOL, 64, 0, 0, from.high(), from.low(), to.high(), to.low());
    new JceCiphers()
        .cipher(GCM, true, keys)
        .seal(
            plain, inner + length, tunnel ? Esp.NEXT_IPV6 : first, SPI, 1, at + ALL + Ipv6.HEADER);
    link.inject(Memory.bytes(at, ALL + Ipv6.HEADER + sealed));
    EspCounters counters = link.there.counters();
    boolean whole = first != Ipv6.FRAGMENT && second != Ipv6.FRAGMENT;
    assertThat(counters.malformed).isEqualTo(whole ? 0 : 1);
    assertThat(counters.opened).isEqualTo(whole ? 1 : 0);
    if (whole) {
      assertThat(link.there.heard).singleElement().isEqualTo(segment);
    }
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  @DisplayName("a capture in clear shows what is sealed and what was opened, once each")
  void shouldShowPacketsInClear(boolean ipv6, boolean tunnel) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(ipv6, tunnel, GCM);
    List<byte[]> sent = new ArrayList<>();
    List<byte[]> received = new ArrayList<>();
    link.here.ip.capturePlain((time, at, length) -> sent.add(Memory.bytes(at, length)));
    link.there.ip.capturePlain((time, at, length) -> received.add(Memory.bytes(at, length)));
    link.here.send(link.there.address(ipv6), 100);
    byte[] frame = link.packets().getLast();
    link.inject(frame);
    frame[frame.length - 1] ^= 1;
    link.inject(frame);
    byte[] segment = link.there.heard.getFirst();
    int header = Ethernet.HEADER + (ipv6 ? Ipv6.HEADER : Ipv4.HEADER);
    for (List<byte[]> each : List.of(sent, received)) {
      assertThat(each).hasSize(1);
      byte[] shown = each.getFirst();
      assertThat(SecuredLink.protocol(shown)).isEqualTo(Ipv4.PROTOCOL_TCP);
      assertThat(SecuredLink.header(shown)).isEqualTo(header - Ethernet.HEADER);
      assertThat(Arrays.copyOfRange(shown, header, shown.length)).isEqualTo(segment);
    }
    assertThat(mac(sent.getFirst(), 6)).isEqualTo(link.ends[0].macAddress());
    assertThat(mac(received.getFirst(), 0)).isEqualTo(link.ends[1].macAddress());
    link.here.ip.capturePlain(null);
    link.here.send(link.there.address(ipv6), 100);
    assertThat(sent).hasSize(1);
    List<byte[]> others = new ArrayList<>();
    CaptureSink device =
        PlainCapture.withoutSealed((time, at, length) -> others.add(Memory.bytes(at, length)));
    for (byte[] each : List.of(frame, sent.getFirst())) {
      long at = Memory.allocate(each.length);
      Memory.copy(each, 0, at, each.length);
      device.offer(0, at, each.length);
    }
    assertThat(others).singleElement().isEqualTo(sent.getFirst());
  }

  private static long mac(byte[] frame, int at) {
    return new BigInteger(1, Arrays.copyOfRange(frame, at, at + 6)).longValueExact();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "2, 2, 2",
    "2, 3, 3",
    "1, 3, 3",
    "3, 0, 3",
    "3, 3, 3",
    "0, 3, -1",
    "2, 1, 1",
    "2, 0, 2",
    "0, 2, 0"
  })
  @DisplayName("RFC 6040 section 4.2: congestion marked on the way through a tunnel is told")
  void shouldTellCongestion(int inner, int outer, int expected) {
    assertThat(EspInput.ecn(inner, outer)).isEqualTo(expected);
  }
}
