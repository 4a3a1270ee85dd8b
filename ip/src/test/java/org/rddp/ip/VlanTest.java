package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.ip.IpScript.OURS;
import static org.rddp.ip.IpScript.PEER;
import static org.rddp.ip.IpScript.PEER_MAC;

import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.device.ScriptedDevice;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Vlan;

/** Frames with VLAN tags. */
class VlanTest {
  private static final int OURS_IS = 100;

  private final IpScript tagged = new IpScript(OURS_IS);
  private final IpScript untagged = new IpScript();

  @Test
  @DisplayName("IEEE 802.1Q: in a VLAN, frames with its tag are taken")
  void shouldTakeItsOwnTag() {
    tagged.tagged(OURS_IS, PEER, 40);
    assertThat(tagged.heard).containsExactly("10.0.0.2 40");
    tagged.expectEveryPacketBack();
  }

  @Test
  @DisplayName("IEEE 802.1Q: in a VLAN, frames with another tag or none are not ours")
  void shouldIgnoreOtherTags() {
    tagged.tagged(101, PEER, 40);
    tagged.tagged(Vlan.NONE, PEER, 40);
    tagged.untagged(PEER, 40);
    assertThat(tagged.heard).isEmpty();
    assertThat(tagged.ip.counters().framesIgnored).isEqualTo(3);
  }

  @Test
  @DisplayName("IEEE 802.1Q: in no VLAN, a tag for the priority alone does not matter")
  void shouldTolerateAPriorityTag() {
    untagged.tagged(Vlan.NONE, PEER, 40);
    assertThat(untagged.heard).containsExactly("10.0.0.2 40");
  }

  @Test
  @DisplayName("IEEE 802.1Q: in no VLAN, frames of VLANs are not ours")
  void shouldIgnoreVlansOutsideOfThem() {
    untagged.tagged(OURS_IS, PEER, 40);
    assertThat(untagged.heard).isEmpty();
    assertThat(untagged.ip.counters().framesIgnored).isEqualTo(1);
  }

  @Test
  @DisplayName("IEEE 802.1Q: priority and drop eligibility do not change the VLAN")
  void shouldIgnoreThePriority() {
    tagged.build(Ipv4.PROTOCOL_TCP, PEER, 40, 0);
    Memory.putShort(tagged.frame() + 14, 0xf000 | OURS_IS);
    tagged.receive();
    assertThat(tagged.heard).containsExactly("10.0.0.2 40");
  }

  @Test
  @DisplayName("IEEE 802.1Q: a frame that ends within its tag is malformed")
  void shouldRefuseHalfATag() {
    tagged.ethernet(ScriptedDevice.OUR_MAC, Ethernet.TYPE_IPV4);
    tagged.receive(-1);
    assertThat(tagged.ip.counters().malformed).isEqualTo(1);
  }

  @Test
  @DisplayName("IEEE 802.1Q: sent frames have the tag, ARP included")
  void shouldTagWhatLeaves() {
    long packet = tagged.pool.allocate();
    long address = tagged.pool.address(packet);
    tagged.open(PEER).send(packet, address, 8, Ipv4.NOT_ECT, tagged.now);
    tagged.ip.transmit();
    assertThat(tagged.take()).isEqualTo(Arp.LENGTH);
    expectTag(Ethernet.TYPE_ARP);
    tagged.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    assertThat(tagged.take()).isEqualTo(Ipv4.HEADER + 8);
    expectTag(Ethernet.TYPE_IPV4);
    assertThat(Ethernet.destination(tagged.frame())).isEqualTo(PEER_MAC);
    assertThat(Ethernet.source(tagged.frame())).isEqualTo(ScriptedDevice.OUR_MAC);
    tagged.expectEveryPacketBack();
  }

  private void expectTag(int type) {
    assertThat(Ethernet.type(tagged.frame())).isEqualTo(Vlan.TYPE_TAGGED);
    assertThat(Memory.getShort(tagged.frame() + 14)).isEqualTo(OURS_IS);
    assertThat(Vlan.type(tagged.frame())).isEqualTo(type);
  }

  @Test
  @DisplayName("IEEE 802.1Q: the tag has the interface's priority, and the frames are the VLAN's")
  void shouldWriteThePriority() {
    IpScript urgent = new IpScript(OURS_IS, 5);
    long packet = urgent.pool.allocate();
    urgent.open(PEER).send(packet, urgent.pool.address(packet), 8, Ipv4.NOT_ECT, urgent.now);
    urgent.ip.transmit();
    assertThat(urgent.take()).isEqualTo(Arp.LENGTH);
    assertThat(Memory.getShort(urgent.frame() + 14)).isEqualTo(5 << 13 | OURS_IS);
    assertThat(Vlan.identifier(urgent.frame())).isEqualTo(OURS_IS);
  }

  @Test
  @DisplayName("IEEE 802.1Q: priorities go from 0 to 7, and need a tag")
  void shouldRefuseOtherPriorities() {
    Optional<Ipv4Network> network =
        Optional.of(new Ipv4Network(new Ipv4Address(OURS), 24, Optional.empty()));
    for (int[] wrong : new int[][] {{OURS_IS, -1}, {OURS_IS, 8}, {Vlan.NONE, 1}}) {
      assertThatThrownBy(
              () -> new InterfaceAddress(network, Optional.empty(), 1500, wrong[0], wrong[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  @DisplayName("IEEE 802.1Q: an echo is answered in its VLAN")
  void shouldAnswerAnEchoInItsVlan() {
    tagged.icmp(Icmpv4.ECHO, 0, 40);
    tagged.receive();
    assertThat(tagged.take()).isEqualTo(Ipv4.HEADER + 40);
    expectTag(Ethernet.TYPE_IPV4);
    assertThat(Icmpv4.type(tagged.header + Ipv4.HEADER)).isEqualTo(Icmpv4.ECHO_REPLY);
  }

  @Test
  @DisplayName("IEEE 802.1Q: the tag takes nothing from the MTU")
  void shouldLeaveTheMtuAlone() {
    assertThat(tagged.ip.mtu()).isEqualTo(untagged.ip.mtu()).isEqualTo(1500);
  }

  @Test
  @DisplayName("IEEE 802.1Q: identifiers go from 1 to 4094")
  void shouldRefuseOtherIdentifiers() {
    Ipv4Address ours = new Ipv4Address(OURS);
    for (int wrong : new int[] {-1, 4095, 65536}) {
      assertThatThrownBy(() -> new InterfaceAddress(ours, 24, Optional.empty(), 1500, wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
