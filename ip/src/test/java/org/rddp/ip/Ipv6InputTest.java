package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.Ipv6Script.FAR;
import static org.rddp.ip.Ipv6Script.OTHER;
import static org.rddp.ip.Ipv6Script.OURS;
import static org.rddp.ip.Ipv6Script.PEER;
import static org.rddp.ip.Ipv6Script.PEER_MAC;
import static org.rddp.ip.Ipv6Script.SECOND;
import static org.rddp.ip.Ipv6Script.UDP;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Fragment;
import org.rddp.wire.Memory;

/** What is done with packets of IPv6: handed up, put together, answered by errors, dropped. */
class Ipv6InputTest {
  private static final String PADDING = "010400000000";
  private static final String TCP = "00".repeat(20);

  private final Ipv6Script script = new Ipv6Script();

  @Test
  void shouldHandUpTcp() {
    script.packet(Ipv4.PROTOCOL_TCP, PEER, 40, 7);
    Ipv6.write(
        script.header, 40, 6, 64, Ipv4.CE, 5, PEER.high(), PEER.low(), OURS.high(), OURS.low());
    script.receive();
    assertThat(script.heard).containsExactly("2001:db8::2 40");
    assertThat(script.datagram).startsWith(7, 8, 9);
    assertThat(script.ecn).isEqualTo(Ipv4.CE);
    script.expectNothing();
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 8200 4.3, 4.6: options are skipped")
  void shouldSkipExtensionHeaders() {
    script.receive(0, PEER, OURS, "3c00" + PADDING + "0600" + PADDING + TCP);
    assertThat(script.heard).containsExactly("2001:db8::2 20");
  }

  @Test
  @DisplayName("RFC 5095: routing type 0 is refused, with its place")
  void shouldRefuseRoutingTypeZero() {
    script.receive(Ipv6.ROUTING, PEER, OURS, "0600 0001 00000000" + TCP);
    script.expectError(Icmpv6.PARAMETER_PROBLEM, Icmpv6.WRONG_FIELD, 42);
    assertThat(script.heard).isEmpty();
  }

  @Test
  @DisplayName("RFC 8200 4, RFC 4443 3.4: an unknown protocol is told, with as much as fits 1280")
  void shouldReportAnUnknownProtocol() {
    script.packet(UDP, PEER, 1400, 0);
    script.receive();
    script.expectError(Icmpv6.PARAMETER_PROBLEM, Icmpv6.UNKNOWN_NEXT_HEADER, 6);
    assertThat(Ipv6.HEADER + Ipv6.payloadLength(script.header)).isEqualTo(1280);
    assertThat(Ipv6.nextHeader(Icmpv6.quoted(script.payload))).isEqualTo(UDP);
    script.expectEveryPacketBack();
  }

  @ParameterizedTest
  @CsvSource({"9e, true", "de, false", "5e, false"})
  @DisplayName("RFC 4443 2.4 (e): of packets to a group only an option may ask for an error")
  void shouldAnswerGroupsOnlyWhereAsked(String option, boolean answered) {
    script.receive(60, PEER, Ipv6Address.ALL_NODES, "0600 0000" + option + "020000" + TCP);
    if (answered) {
      script.expectMessage(Icmpv6.PARAMETER_PROBLEM, OURS, PEER, PEER_MAC);
    }
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 4443 2.4 (e): no error about an error, nor to no host")
  void shouldNotAnswerErrors() {
    script.receive(60, PEER, OURS, "3a00 0000 9e020000" + "0100 0000 00000000");
    script.expectNothing();
    script.receive(UDP, Ipv6Address.UNSPECIFIED, OURS, TCP);
    script.receive(UDP, Ipv6Address.ALL_NODES, OURS, TCP);
    script.expectNothing();
    assertThat(script.ip.counters().icmpErrorsOut).isZero();
  }

  @Test
  @DisplayName("RFC 4443 2.4 (f): fifty errors at once, and a hundred in a second")
  void shouldLimitErrors() {
    int sent = 0;
    for (int i = 0; i < 200; i++) {
      script.packet(UDP, PEER, 8, 0);
      script.receive();
      sent += script.take() ? 1 : 0;
    }
    assertThat(sent).isEqualTo(50);
    assertThat(script.ip.counters().icmpErrorsLimited).isEqualTo(150);
  }

  @ParameterizedTest
  @ValueSource(strings = {"::", "::1", "ff02::1", "::ffff:10.0.0.2", "2001:db8::1"})
  void shouldDropTcpFromNoHost(String source) {
    script.packet(Ipv4.PROTOCOL_TCP, Ipv6Address.parse(source), 40, 0);
    script.receive();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().addressErrors).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2001:db8::9", "ff02::2", "ff02::1", "ff02::1:ff00:1"})
  void shouldDropTcpToOthers(String destination) {
    script.build(Ipv4.PROTOCOL_TCP, 64, PEER, Ipv6Address.parse(destination), 40);
    script.receive();
    assertThat(script.heard).isEmpty();
  }

  @Test
  void shouldDropWhatIsForUsInAFrameForAGroup() {
    script.packet(Ipv4.PROTOCOL_TCP, PEER, 40, 0);
    Ethernet.write(script.frame(), Ethernet.ipv6Group(1), PEER_MAC, Ethernet.TYPE_IPV6);
    script.receive();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().addressErrors).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 4443 4.2: an echo is answered from the address that was asked")
  void shouldAnswerEchoes() {
    for (Ipv6Address asked : new Ipv6Address[] {OURS, script.linkLocal}) {
      script.build(Ipv6.ICMPV6, 64, PEER, asked, 100);
      Icmpv6.write(script.payload, Icmpv6.ECHO, 0, 77);
      script.message(100);
      script.expectMessage(Icmpv6.ECHO_REPLY, asked, PEER, PEER_MAC);
      assertThat(Icmpv6.parameter(script.payload)).isEqualTo(77);
    }
    script.build(Ipv6.ICMPV6, 64, PEER, OURS, 100);
    script.receive();
    script.expectNothing();
    assertThat(script.ip.counters().checksumErrors).isEqualTo(1);
    assertThat(script.ip.counters().echoes).isEqualTo(2);
    script.expectEveryPacketBack();
  }

  @ParameterizedTest
  @CsvSource({"1400, 1500, too big 1400", "100, 1500, too big 1280", "1280, 1281, too big 1280"})
  @DisplayName("RFC 8201 4: the MTU of a Packet Too Big, but never less than 1280")
  void shouldHandUpTheMtu(int mtu, int quoted, String heard) {
    script.error(Icmpv6.PACKET_TOO_BIG, 0, mtu, OURS, FAR, quoted);
    assertThat(script.heard).containsExactly(heard);
  }

  @Test
  void shouldIgnoreAnMtuThatIsNotLess() {
    script.error(Icmpv6.PACKET_TOO_BIG, 0, 1500, OURS, FAR, 1500);
    script.error(Icmpv6.PACKET_TOO_BIG, 0, -1, OURS, FAR, 1500);
    script.error(Icmpv6.PACKET_TOO_BIG, 0, 1280, OURS, FAR, 1280);
    script.error(Icmpv6.PACKET_TOO_BIG, 0, 1400, OTHER, FAR, 1500);
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().icmpErrors).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    Icmpv6.UNREACHABLE + "," + Icmpv6.PORT_UNREACHABLE + "," + Icmpv4.PORT_UNREACHABLE,
    Icmpv6.UNREACHABLE + ",0,0",
    Icmpv6.TIME_EXCEEDED + ",0,0",
    Icmpv6.PARAMETER_PROBLEM + "," + Icmpv6.UNKNOWN_NEXT_HEADER + "," + Icmpv4.PROTOCOL_UNREACHABLE,
    Icmpv6.PARAMETER_PROBLEM + ",0,0"
  })
  @DisplayName("RFC 5461: only the port and the protocol are hard errors")
  void shouldHandUpErrors(int type, int code, int handedUp) {
    script.error(type, code, 0, OURS, PEER, 1500);
    assertThat(script.heard).containsExactly("unreachable " + handedUp);
  }

  @Test
  @DisplayName("RFC 8201 4: a path's MTU is forgotten after ten minutes, and is 1280 at least")
  void shouldRememberPathMtus() {
    Path far = script.ip.path(FAR);
    far.lowerMtu(600, script.now);
    assertThat(far.mtu()).isEqualTo(1280);
    for (int i = 0; i < 1000; i++) {
      script.ip.path(new Ipv6Address(FAR.high(), 100 + i));
    }
    assertThat(script.ip.path(FAR)).as("a path that is kept").isSameAs(far);
    script.pass(600 * SECOND);
    assertThat(script.heard).containsExactly("path 2001:db8:1::7 1500");
    assertThat(far.mtu()).isEqualTo(1500);
  }

  @Test
  @DisplayName("RFC 8200 4.5: fragments in any order are put together")
  void shouldReassemble() {
    script.fragment(PEER, 7, 80, 20, false);
    script.fragment(PEER, 7, 0, 80, true);
    assertThat(script.heard).containsExactly("2001:db8::2 100");
    for (int i = 0; i < 100; i++) {
      assertThat(script.datagram[i]).isEqualTo((byte) i);
    }
    assertThat(script.ip.counters().reassembled).isEqualTo(1);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 5722: a packet with fragments that overlap is dropped whole")
  void shouldDropOverlaps() {
    script.fragment(PEER, 7, 0, 80, true);
    script.fragment(PEER, 7, 72, 28, false);
    script.fragment(PEER, 7, 80, 20, false);
    assertThat(script.heard).isEmpty();
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 6946: an atomic fragment does not meet other fragments")
  void shouldTakeAtomicFragmentsAtOnce() {
    script.fragment(PEER, 7, 0, 80, true);
    script.fragment(PEER, 7, 0, 40, false);
    assertThat(script.heard).containsExactly("2001:db8::2 40");
    script.fragment(PEER, 7, 80, 20, false);
    assertThat(script.heard).containsExactly("2001:db8::2 40", "2001:db8::2 100");
  }

  @Test
  @DisplayName("RFC 8200 4.5: the length of a fragment but the last is a multiple of eight")
  void shouldReportAFragmentOfAWrongLength() {
    script.fragment(PEER, 7, 0, 81, true);
    script.expectError(Icmpv6.PARAMETER_PROBLEM, Icmpv6.WRONG_FIELD, 4);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 7112: a first fragment without all headers is dropped")
  void shouldRefuseAFirstFragmentWithoutHeaders() {
    script.fragment(PEER, 7, 0, 16, true);
    script.packet(Ipv6.FRAGMENT, PEER, Ipv6Fragment.HEADER + 8, 0);
    Ipv6Fragment.write(script.payload, Ipv6.DESTINATION_OPTIONS, 0, true, 8);
    Memory.putLong(script.payload + 8, 0x0601_0000_0000_0000L);
    script.receive();
    assertThat(script.ip.counters().fragmentsDropped).isEqualTo(2);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 8200 4.5: a packet whose fragments do not all come in time is reported")
  void shouldReportATimeout() {
    script.fragment(PEER, 7, 0, 80, true);
    script.pass(60 * SECOND);
    script.expectError(Icmpv6.TIME_EXCEEDED, Icmpv6.REASSEMBLY_TIME, 0);
    assertThat(script.ip.counters().reassemblyTimeouts).isEqualTo(1);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 6980: Neighbour Discovery in fragments is ignored")
  void shouldIgnoreDiscoveryInFragments() {
    String advertisement = "8800 0000 60000000" + "20010db8000000000000000000000002";
    script.receive(Ipv6.FRAGMENT, PEER, OURS, "3a00 0001 00000007" + advertisement);
    script.receive(Ipv6.FRAGMENT, PEER, OURS, "3a00 0018 00000007" + "0201020000000002");
    assertThat(script.ip.counters().reassembled).isEqualTo(1);
    assertThat(script.ip.counters().checksumErrors + script.ip.counters().icmpIgnored).isEqualTo(1);
    script.expectEveryPacketBack();
  }
}
