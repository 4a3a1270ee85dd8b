package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.SecuredLink.OTHER_PORT;
import static org.rddp.ip.SecuredLink.PORT;
import static org.rddp.ip.SecuredLink.SPI;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.ip.esp.Lifetime;
import org.rddp.wire.Esp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Fragment;
import org.rddp.wire.Memory;

/** What comes to an interface with a security policy and is dropped, or in fragments. */
class EspInputTest {
  private static final EspSuite GCM = EspSuite.AES128_GCM16;
  private static final int ALL = Ethernet.HEADER;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "RFC 4301 section 5.2: what comes in clear where ESP is required is dropped silently")
  void shouldDropWhatIsClear(boolean ipv6) {
    SecurityPolicy open = new SecurityPolicy(List.of(), PolicyAction.BYPASS);
    SecurityPolicy strict = new SecurityPolicy(List.of(), PolicyAction.REQUIRE);
    SecuredLink link = new SecuredLink(open, strict);
    link.here.send(link.there.address(ipv6), 10);
    link.here.send(link.there.address(ipv6), 1, 2, 0);
    assertThat(link.there.heard).isEmpty();
    assertThat(link.there.counters().clear).isEqualTo(2);
    // An echo, and a protocol that nobody speaks.
    byte[] frame = link.packets().getFirst().clone();
    for (int protocol : new int[] {ipv6 ? Ipv6.ICMPV6 : Ipv4.PROTOCOL_ICMP, 17, 132}) {
      link.inject(withProtocol(frame, protocol));
    }
    assertThat(link.packets()).as("answers").hasSize(2);
    assertThat(link.there.heard).isEmpty();
    link.expectEveryPacketBack();
  }

  @Test
  @DisplayName("a rule for all of IPv6 lets nothing of IPv4 pass in clear")
  void shouldNotBypassTheOtherFamily() {
    SecurityPolicy.Rule rule =
        new SecurityPolicy.Rule(
            new TrafficSelector(AddressPrefix.parse("::/0"), false, 0, 0), PolicyAction.BYPASS);
    SecuredLink link =
        new SecuredLink(
            new SecurityPolicy(List.of(), PolicyAction.BYPASS),
            new SecurityPolicy(List.of(rule), PolicyAction.REQUIRE));
    link.here.send(link.there.ipv4, 10);
    assertThat(link.there.heard).isEmpty();
    assertThat(link.there.counters().clear).isEqualTo(1);
    link.here.send(link.there.ipv6, 10);
    assertThat(link.there.heard).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("fragments in clear are put together and then dropped, without an error")
  void shouldDropClearFragments(boolean ipv6) {
    SecurityPolicy open = new SecurityPolicy(List.of(), PolicyAction.BYPASS);
    SecurityPolicy strict = new SecurityPolicy(List.of(), PolicyAction.REQUIRE);
    SecuredLink link = new SecuredLink(open, strict);
    link.here.send(link.there.address(ipv6), 100);
    fragments(link.packets().getFirst(), 64).forEach(link::inject);
    assertThat(link.there.heard).isEmpty();
    assertThat(link.there.counters().clear).isEqualTo(2);
    link.inject(fragments(link.packets().getFirst(), 64).getFirst());
    link.pass(61_000_000_000L);
    link.pass(61_000_000_000L);
    assertThat(link.there.ip.counters().reassemblyTimeouts).isEqualTo(1);
    assertThat(link.there.ip.counters().icmpErrorsOut).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("RFC 4303 section 3.4.1: fragments of a sealed packet are put together before")
  void shouldOpenFragments(boolean ipv6) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(ipv6, false, GCM);
    link.here.send(link.there.address(ipv6), 100);
    fragments(link.packets().getFirst(), 64).forEach(link::inject);
    assertThat(link.there.counters().replayed).as("whole, and known").isEqualTo(1);
    link.there.heard.clear();
    byte[] lost = link.sealedButLost(ipv6);
    fragments(lost, 64).forEach(link::inject);
    assertThat(link.there.heard).hasSize(1);
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("MPA-9.2-01")
  @Tag("DDP-8.4-01")
  @Tag("DDP-8.4.2-02")
  @Tag("RDMAP-8.2.2-02")
  @DisplayName("RFC 4303 section 3.4.3, 3.4.4: replayed, spoilt and unknown packets are dropped")
  void shouldDropWhatIsNotAuthentic(boolean ipv6) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(ipv6, false, GCM);
    byte[] frame = link.sealedButLost(ipv6);
    int esp = ALL + SecuredLink.header(frame);
    for (int octet = esp; octet < frame.length; octet++) {
      byte[] spoilt = frame.clone();
      spoilt[octet] ^= 0x10;
      link.inject(spoilt);
    }
    EspCounters counters = link.there.counters();
    assertThat(link.there.heard).isEmpty();
    assertThat(counters.unknownSpi).as("four octets of SPI").isEqualTo(4);
    assertThat(counters.forged).isEqualTo(frame.length - esp - 4);
    assertThat(counters.replayed).isZero();
    link.inject(frame);
    assertThat(link.there.heard).as("the window has not moved").hasSize(1);
    for (int i = 1; i <= 3; i++) {
      link.inject(frame);
      assertThat(counters.replayed).isEqualTo(i);
    }
    assertThat(link.there.heard).hasSize(1);
    assertThat(link.packets()).as("no answers").hasSize(1);
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 7, 8, 20, 31, 35})
  @DisplayName("packets that are cut short are dropped")
  void shouldDropShortPackets(int octets) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(false, false, GCM);
    byte[] frame = link.sealedButLost(false);
    byte[] cut = Arrays.copyOf(frame, ALL + Ipv4.HEADER + octets);
    link.inject(withLength(cut));
    EspCounters counters = link.there.counters();
    assertThat(counters.malformed + counters.forged).isEqualTo(1);
    assertThat(link.there.heard).isEmpty();
    link.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4301 section 5.2 step 5: an association carries only what it is for")
  void shouldDropWhatTheAssociationIsNotFor() {
    SecuredLink link = SecuredLink.requiring();
    byte[] keys = link.keys(GCM);
    AssociationSettings wide =
        SecuredLink.settings(SPI, link.here.ipv4, link.there.ipv4, false, GCM);
    link.here.security.add(wide, keys, 0, link.now);
    TrafficSelector port = new TrafficSelector(AddressPrefix.of(link.here.ipv4), false, PORT, 0);
    link.there.security.add(
        new AssociationSettings(
            SPI, link.here.ipv4, link.there.ipv4, false, GCM, true, 1024, port, Lifetime.UNLIMITED),
        keys,
        0,
        link.now);
    link.here.send(link.there.ipv4, OTHER_PORT, PORT, 8);
    assertThat(link.there.heard).hasSize(1);
    link.here.send(link.there.ipv4, OTHER_PORT, PORT + 1, 8);
    link.here.send(link.there.ipv4, PORT, OTHER_PORT, 8);
    assertThat(link.there.heard).hasSize(1);
    assertThat(link.there.counters().mismatched).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("RFC 4301 section 5.2 step 5: an association for TCP only carries no ICMP")
  void shouldDropIcmpInAnAssociationForTcp(boolean tcpOnly) {
    SecuredLink link = SecuredLink.requiring();
    byte[] keys = link.keys(GCM);
    link.here.security.add(
        SecuredLink.settings(SPI, link.here.ipv4, link.there.ipv4, false, GCM), keys, 0, link.now);
    TrafficSelector selector = new TrafficSelector(AddressPrefix.of(link.here.ipv4), tcpOnly, 0, 0);
    link.there.security.add(
        new AssociationSettings(
            SPI,
            link.here.ipv4,
            link.there.ipv4,
            false,
            GCM,
            true,
            1024,
            selector,
            Lifetime.UNLIMITED),
        keys,
        0,
        link.now);
    assertThat(selector).hasToString("10.0.0.1/32" + (tcpOnly ? " tcp" : ""));
    link.here.send(link.there.ipv4, 8);
    assertThat(link.there.heard).hasSize(1);
    // An ICMP message that nobody answers.
    long packet = link.here.segment(0, 0, 8);
    long at = link.here.pool.address(packet);
    link.here
        .path(link.there.ipv4)
        .reply(Ipv4.PROTOCOL_ICMP, packet, at, 28, Ipv4.NOT_ECT, link.ends[1].macAddress());
    link.settle();
    link.here.pool.release(packet);
    assertThat(link.there.counters().mismatched).isEqualTo(tcpOnly ? 1 : 0);
    assertThat(link.there.counters().opened).isEqualTo(tcpOnly ? 1 : 2);
    link.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4301 section 5.2 step 5: a tunnel carries only packets between its hosts")
  void shouldDropForeignPacketsOfATunnel() {
    SecuredLink link = SecuredLink.requiring();
    byte[] keys = link.keys(GCM);
    // The first host sends packets of IPv6 in a tunnel of IPv4, the second expects IPv4 there.
    link.here.security.add(
        AssociationSettings.usual(SPI, link.here.ipv4, link.there.ipv4, true, GCM, link.there.ipv6),
        keys,
        0,
        link.now);
    link.there.security.add(
        AssociationSettings.usual(SPI, link.here.ipv4, link.there.ipv4, true, GCM, link.here.ipv4),
        keys,
        0,
        link.now);
    link.here.send(link.there.ipv6, 8);
    assertThat(link.there.counters().mismatched).isEqualTo(1);
    assertThat(link.there.heard).isEmpty();
    // With the selector of both it arrives.
    byte[] others = link.keys(GCM);
    link.here.security.add(
        AssociationSettings.usual(
            SPI + 2, link.here.ipv4, link.there.ipv4, true, GCM, link.there.ipv6),
        others,
        0,
        link.now);
    link.there.security.add(
        AssociationSettings.usual(
            SPI + 2, link.here.ipv4, link.there.ipv4, true, GCM, link.here.ipv6),
        others,
        0,
        link.now);
    link.here.send(link.there.ipv6, 8);
    assertThat(link.there.heard).hasSize(1);
    assertThat(SecuredLink.header(link.packets().getLast())).isEqualTo(Ipv4.HEADER);
    link.expectEveryPacketBack();
  }

  @Test
  @DisplayName("a mode that the association does not have is dropped")
  void shouldDropTheOtherMode() {
    SecuredLink link = SecuredLink.requiring();
    byte[] keys = link.keys(GCM);
    link.here.security.add(
        SecuredLink.settings(SPI, link.here.ipv4, link.there.ipv4, true, GCM), keys, 0, link.now);
    link.there.security.add(
        AssociationSettings.usual(SPI, link.here.ipv4, link.there.ipv4, false, GCM, link.here.ipv4),
        keys,
        0,
        link.now);
    link.here.send(link.there.ipv4, 8);
    assertThat(link.there.counters().mismatched).isEqualTo(1);
    assertThat(link.there.heard).isEmpty();
  }

  @Test
  @DisplayName("RFC 4303 section 2.6: a dummy packet is dropped, and nothing is wrong with it")
  void shouldDropDummyPackets() {
    SecuredLink link = SecuredLink.requiring();
    byte[] keys = link.keys(GCM);
    AssociationSettings settings =
        AssociationSettings.usual(SPI, link.here.ipv4, link.there.ipv4, false, GCM, link.here.ipv4);
    link.there.security.add(settings, keys, 0, link.now);
    OutboundAssociation sender =
        new OutboundAssociation(
            settings,
            new AssociationKeys(keys),
            new JceCiphers().cipher(GCM, true, keys),
            0,
            new SentNumbers(true, 0),
            1,
            link.now);
    long at = Memory.allocate(256);
    Ethernet.write(at, link.ends[1].macAddress(), link.ends[0].macAddress(), Ethernet.TYPE_IPV4);
    int total = Ipv4.HEADER + GCM.sealedLength(40);
    Ipv4.write(at + ALL, total, Esp.PROTOCOL, link.here.ipv4.bits(), link.there.ipv4.bits());
    assertThat(sender.seal(Memory.allocate(64), 40, Esp.NEXT_NOTHING, at + ALL + Ipv4.HEADER))
        .isTrue();
    link.inject(Memory.bytes(at, ALL + total));
    EspCounters counters = link.there.counters();
    assertThat(link.there.security.associations().getFirst().packets()).isEqualTo(1);
    assertThat(counters.opened + counters.malformed + counters.mismatched).isZero();
    link.expectEveryPacketBack();
  }

  private static byte[] withProtocol(byte[] frame, int protocol) {
    byte[] changed = frame.clone();
    boolean ipv4 = SecuredLink.header(frame) == Ipv4.HEADER;
    changed[ALL + (ipv4 ? 9 : 6)] = (byte) protocol;
    return ipv4 ? repaired(changed) : changed;
  }

  private static byte[] withLength(byte[] frame) {
    frame[ALL + 2] = (byte) ((frame.length - ALL) >> 8);
    frame[ALL + 3] = (byte) (frame.length - ALL);
    return repaired(frame);
  }

  private static byte[] repaired(byte[] frame) {
    frame[ALL + 10] = 0;
    frame[ALL + 11] = 0;
    long at = Memory.allocate(Ipv4.HEADER);
    Memory.copy(Arrays.copyOfRange(frame, ALL, ALL + Ipv4.HEADER), 0, at, Ipv4.HEADER);
    int sum = org.rddp.wire.Checksum.field(org.rddp.wire.Checksum.sum(at, Ipv4.HEADER));
    frame[ALL + 10] = (byte) (sum >> 8);
    frame[ALL + 11] = (byte) sum;
    return frame;
  }

  /** Two fragments of a frame's packet, the first with so many octets of its payload. */
  private static List<byte[]> fragments(byte[] frame, int first) {
    int header = SecuredLink.header(frame);
    byte[] payload = Arrays.copyOfRange(frame, ALL + header, frame.length);
    return List.of(
        fragment(frame, payload, 0, first, true),
        fragment(frame, payload, first, payload.length - first, false));
  }

  private static byte[] fragment(
      byte[] frame, byte[] payload, int offset, int length, boolean more) {
    boolean ipv4 = SecuredLink.header(frame) == Ipv4.HEADER;
    long at = Memory.allocate(256);
    Memory.copy(frame, 0, at, ALL + SecuredLink.header(frame));
    long packet = at + ALL;
    if (ipv4) {
      Ipv4.write(
          packet,
          Ipv4.HEADER + length,
          Ipv4.protocol(packet),
          Ipv4.source(packet),
          Ipv4.destination(packet));
      Ipv4.writeFragment(packet, 99, offset, more);
      Memory.copy(payload, offset, packet + Ipv4.HEADER, length);
      return Memory.bytes(at, ALL + Ipv4.HEADER + length);
    }
    int next = Ipv6.nextHeader(packet);
    Ipv6.write(
        packet,
        Ipv6Fragment.HEADER + length,
        Ipv6.FRAGMENT,
        64,
        0,
        0,
        Ipv6.sourceHigh(packet),
        Ipv6.sourceLow(packet),
        Ipv6.destinationHigh(packet),
        Ipv6.destinationLow(packet));
    Ipv6Fragment.write(packet + Ipv6.HEADER, next, offset, more, 99);
    Memory.copy(payload, offset, packet + Ipv6.HEADER + Ipv6Fragment.HEADER, length);
    return Memory.bytes(at, ALL + Ipv6.HEADER + Ipv6Fragment.HEADER + length);
  }
}
