package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.IpScript.FAR;
import static org.rddp.ip.IpScript.OURS;
import static org.rddp.ip.IpScript.PEER;
import static org.rddp.ip.IpScript.SECOND;
import static org.rddp.ip.IpScript.UDP;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.ScriptedDevice;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/** ICMP errors sent and received. */
class Icmpv4Test {
  private final IpScript script = new IpScript();

  @Test
  @DisplayName("RFC 1122 3.2.2.1: a protocol that nobody speaks here is unreachable")
  void shouldReportAnUnknownProtocol() {
    script.packet(UDP, PEER, 40);
    script.expectError(Icmpv4.UNREACHABLE, Icmpv4.PROTOCOL_UNREACHABLE, 60);
    assertThat(script.ip.counters().icmpErrorsOut).isEqualTo(1);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 1122 3.2.2: an error to a host beyond the gateway is sent to the gateway")
  void shouldReportToFarHosts() {
    script.packet(UDP, FAR, 40);
    script.expectError(Icmpv4.UNREACHABLE, Icmpv4.PROTOCOL_UNREACHABLE, 60);
    assertThat(Ipv4.destination(script.header)).isEqualTo(FAR);
  }

  @Test
  @DisplayName("RFC 1812 4.3.2.3: an error is no longer than 576 octets")
  void shouldQuoteSoMuch() {
    script.packet(UDP, PEER, 1480);
    script.expectError(Icmpv4.UNREACHABLE, Icmpv4.PROTOCOL_UNREACHABLE, 548);
  }

  @Test
  @DisplayName("RFC 1122 3.2.2: no error about a fragment but the first")
  void shouldNotReportLaterFragments() {
    script.fragment(UDP, PEER, 7, 8, 8, false, Ipv4.NOT_ECT);
    script.expectNothing();
    script.fragment(UDP, PEER, 7, 0, 8, true, Ipv4.NOT_ECT);
    script.expectError(Icmpv4.UNREACHABLE, Icmpv4.PROTOCOL_UNREACHABLE, 28);
  }

  @Test
  @DisplayName("RFC 1122 3.2.2: no error about a frame or a packet to everyone")
  void shouldNotReportBroadcasts() {
    script.build(UDP, PEER, 40, 0);
    script.ethernet(Ethernet.BROADCAST, Ethernet.TYPE_IPV4);
    script.receive();
    script.expectNothing();
    script.build(UDP, PEER, 40, 0);
    Ipv4.write(script.header, 60, UDP, PEER, Ipv4Address.parse("10.0.0.255").bits());
    script.receive();
    script.expectNothing();
  }

  @ParameterizedTest
  @DisplayName("RFC 1122 3.2.2: no error to an address that is not one host's")
  @ValueSource(strings = {"224.0.0.1", "0.0.0.0", "255.255.255.255", "127.0.0.1", "10.0.0.255"})
  void shouldNotReportToNobody(String source) {
    script.packet(UDP, Ipv4Address.parse(source).bits(), 40);
    script.expectNothing();
    assertThat(script.ip.counters().addressErrors).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 1122 3.2.2: no error about an ICMP error")
  void shouldNotReportErrors() {
    script.icmp(Icmpv4.TIME_EXCEEDED, 0, 8);
    Ipv4.writeFragment(script.header, 7, 0, true);
    script.receive();
    script.pass(60 * SECOND);
    script.expectNothing();
    script.fragment(Ipv4.PROTOCOL_ICMP, PEER, 8, 0, 8, true, Ipv4.NOT_ECT);
    script.pass(60 * SECOND);
    script.expectError(Icmpv4.TIME_EXCEEDED, Icmpv4.REASSEMBLY_TIME, 28);
  }

  @Test
  @DisplayName("RFC 1812 4.3.2.8: fifty errors at once, and a hundred in a second")
  void shouldLimitErrors() {
    for (int i = 0; i < 100; i++) {
      script.packet(UDP, PEER, 40);
    }
    assertThat(script.ip.counters().icmpErrorsOut).isEqualTo(50);
    assertThat(script.ip.counters().icmpErrorsLimited).isEqualTo(50);
    script.pass(SECOND / 10);
    for (int i = 0; i < 100; i++) {
      script.packet(UDP, PEER, 40);
    }
    assertThat(script.ip.counters().icmpErrorsOut).isEqualTo(60);
  }

  @Test
  @DisplayName("RFC 792: an error whose checksum is wrong is dropped")
  void shouldDropABrokenMessage() {
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1500, 0);
    Memory.putByte(script.header + Ipv4.HEADER + 30, 1);
    script.receive();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().checksumErrors).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 5927 4.1: an error that quotes a packet of another host is ignored")
  void shouldIgnoreWhatIsNotOurs() {
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 36);
    script.quote(Ipv4.PROTOCOL_TCP, FAR, PEER, 1500, 0);
    script.receive();
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 36);
    script.quote(UDP, OURS, PEER, 1500, 0);
    script.receive();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().icmpErrors).isEqualTo(2);
  }

  @ParameterizedTest
  @DisplayName("RFC 1122 3.2.1.3: an error that quotes a packet to no host is ignored")
  @ValueSource(strings = {"0.0.0.5", "224.0.0.1", "255.255.255.255"})
  void shouldIgnoreAQuotedPacketToNoHost(String destination) {
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, Ipv4Address.parse(destination).bits(), 1500, 0);
    script.receive();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().icmpErrors).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 792: an error that quotes less than eight octets of TCP is ignored")
  void shouldIgnoreAShortQuote() {
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 35);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1500, 0);
    script.receive();
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 12);
    script.receive();
    assertThat(script.heard).isEmpty();
  }

  @Test
  @DisplayName("RFC 5927 4.1: an error that quotes a fragment but the first is ignored")
  void shouldIgnoreAQuotedFragment() {
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1500, 0);
    long message = script.header + Ipv4.HEADER;
    Ipv4.writeFragment(Icmpv4.quoted(message), 1, 8, false);
    Icmpv4.write(message, Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 0, 36);
    script.receive();
    assertThat(script.heard).isEmpty();
  }

  @Test
  @DisplayName("RFC 5461 2.1: that a packet took too long on its way is no reason to give up")
  void shouldNotHandUpSoftErrors() {
    script.icmp(Icmpv4.TIME_EXCEEDED, 0, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1500, 0);
    script.receive();
    script.icmp(Icmpv4.PARAMETER_PROBLEM, 0, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1500, 0);
    script.receive();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().icmpErrors).isEqualTo(2);
  }

  @ParameterizedTest
  @DisplayName("RFC 6633 3, RFC 1122 3.2.2.2: source quench, redirects and questions are ignored")
  @ValueSource(ints = {Icmpv4.SOURCE_QUENCH, Icmpv4.REDIRECT, 9, 10, 13, 15, 17, 255})
  void shouldIgnoreOtherTypes(int type) {
    script.icmp(type, 0, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1500, 0);
    script.receive();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().icmpIgnored).isEqualTo(1);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 1191 4: the next hop's MTU is handed up, if it is less than the packet had")
  void shouldHandUpTheNextHopsMtu() {
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1500, 1400);
    script.receive();
    script.icmp(Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, 36);
    script.quote(Ipv4.PROTOCOL_TCP, OURS, PEER, 1400, 1400);
    script.receive();
    assertThat(script.heard).containsExactly("too big 1400");
  }

  @Test
  @DisplayName("RFC 1122 3.2.1.3: a frame from a group of stations is nobody's")
  void shouldIgnoreFramesFromGroups() {
    script.build(UDP, PEER, 40, 0);
    Ethernet.write(script.frame(), ScriptedDevice.OUR_MAC, Ethernet.BROADCAST, 0x0800);
    script.receive();
    script.expectNothing();
    assertThat(script.ip.counters().framesIgnored).isEqualTo(1);
  }

  @ParameterizedTest
  @DisplayName("RFC 1122 3.2.1.3: packets with an invalid source are dropped")
  @ValueSource(
      strings = {
        "0.0.0.0",
        "0.1.2.3",
        "127.0.0.1",
        "127.255.255.255",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "10.0.0.0",
        "10.0.0.255",
        "10.0.0.1"
      })
  void shouldDropMartians(String source) {
    script.packet(Ipv4.PROTOCOL_TCP, Ipv4Address.parse(source).bits(), 40);
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().addressErrors).isEqualTo(1);
  }

  @ParameterizedTest
  @DisplayName("RFC 1122 3.2.1.3: addresses that end in 0 or 255 elsewhere are hosts")
  @ValueSource(strings = {"192.0.2.0", "192.0.2.255", "10.0.1.255", "10.0.0.254", "1.0.0.0"})
  void shouldTakeOtherAddresses(String source) {
    script.packet(Ipv4.PROTOCOL_TCP, Ipv4Address.parse(source).bits(), 40);
    assertThat(script.heard).containsExactly(source + " 40");
  }
}
