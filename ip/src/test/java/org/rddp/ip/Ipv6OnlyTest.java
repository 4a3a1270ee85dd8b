package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.ScriptedDevice;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Vlan;

/** An IP layer whose interface has no address of IPv4. */
class Ipv6OnlyTest {
  private static final int PEER_IPV4 = 0x0a000002;
  private static final int OUR_IPV4 = 0x0a000001;

  private final Ipv6Script script = Ipv6Script.withoutIpv4();

  @AfterEach
  void close() {
    script.ip.close();
    script.expectEveryPacketBack();
  }

  private void arp(int operation, int sender, int target, long destination) {
    Ethernet.write(script.frame(), destination, Ipv6Script.PEER_MAC, Ethernet.TYPE_ARP);
    Arp.write(script.header, operation, Ipv6Script.PEER_MAC, sender, 0, target);
    script.receive(Ethernet.HEADER + Arp.LENGTH);
  }

  private void ipv4(int protocol, int destination) {
    int length = Ipv4.HEADER + 40;
    Ethernet.write(script.frame(), ScriptedDevice.OUR_MAC, Ipv6Script.PEER_MAC, Ethernet.TYPE_IPV4);
    Ipv4.write(script.header, length, protocol, PEER_IPV4, destination);
    script.receive(Ethernet.HEADER + length);
  }

  /** 0 would be the address if "none" were taken for one. */
  @ParameterizedTest
  @ValueSource(ints = {OUR_IPV4, 0})
  void shouldIgnoreArp(int target) {
    arp(Arp.REQUEST, PEER_IPV4, target, Ethernet.BROADCAST);
    arp(Arp.REPLY, PEER_IPV4, target, ScriptedDevice.OUR_MAC);
    arp(Arp.REQUEST, target, target, Ethernet.BROADCAST);
    script.expectNothing();
    assertThat(script.ip.counters().framesIgnored).isEqualTo(3);
    assertThat(script.ip.counters().addressConflicts).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {OUR_IPV4, 0})
  void shouldIgnorePacketsOfIpv4(int destination) {
    ipv4(Ipv4.PROTOCOL_TCP, destination);
    ipv4(Ipv4.PROTOCOL_ICMP, destination);
    ipv4(Ipv6Script.UDP, destination);
    script.expectNothing();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().framesIgnored).isEqualTo(3);
  }

  @Test
  void shouldHaveNoNumberForAnAddressOfIpv4() {
    assertThat(script.ip.path(new Ipv4Address(PEER_IPV4))).isNull();
  }

  @Test
  void shouldAnnounceAddressesOfIpv6Only() {
    script.ip.announce(script.now);
    script.ip.transmit();
    while (script.take()) {
      assertThat(Ethernet.type(script.frame())).isEqualTo(Ethernet.TYPE_IPV6);
    }
    script.pass(10 * Ipv6Script.SECOND);
    while (script.take()) {
      assertThat(Ethernet.type(script.frame())).isEqualTo(Ethernet.TYPE_IPV6);
    }
    assertThat(script.ip.counters().listenerReports).isPositive();
  }

  @Test
  void shouldAnswerNeighboursAndPassPacketsOn() {
    script.solicit(255, Ipv6Script.PEER, Ipv6Script.OURS, Ipv6Script.OURS, Ipv6Script.PEER_MAC);
    script.expectMessage(
        Icmpv6.NEIGHBOUR_ADVERTISEMENT, Ipv6Script.OURS, Ipv6Script.PEER, Ipv6Script.PEER_MAC);
    script.packet(Ipv4.PROTOCOL_TCP, Ipv6Script.PEER, 20, 0);
    script.receive();
    assertThat(script.heard).containsExactly(Ipv6Script.PEER + " 20");
  }

  @Test
  void shouldHaveAnAddress() {
    assertThatThrownBy(
            () -> new InterfaceAddress(Optional.empty(), Optional.empty(), 1500, Vlan.NONE, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldListItsAddresses() {
    Ipv6Network network = new Ipv6Network(Ipv6Script.OURS, 64, "a secret");
    Ipv6Address local = network.linkLocal(1);
    InterfaceAddress only = new InterfaceAddress(network);
    assertThat(only.all(1)).isEqualTo(List.of(Ipv6Script.OURS, local));
    assertThat(only.first()).isEqualTo(Ipv6Script.OURS);
    Ipv4Address ipv4 = new Ipv4Address(OUR_IPV4);
    InterfaceAddress both = new InterfaceAddress(ipv4, 24).withIpv6(network);
    assertThat(both.all(1)).isEqualTo(List.of(ipv4, Ipv6Script.OURS, local));
    assertThat(both.first()).isEqualTo(ipv4);
  }
}
