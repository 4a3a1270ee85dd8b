package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.IpScript.OTHER_MAC;
import static org.rddp.ip.IpScript.OURS;
import static org.rddp.ip.IpScript.PEER;
import static org.rddp.ip.IpScript.PEER_MAC;
import static org.rddp.ip.IpScript.SECOND;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.device.ScriptedDevice;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;

/** ARP (RFC 826) that is not about finding a neighbour: announcing, defending, ageing. */
class ArpAnnouncementTest {
  private final IpScript script = new IpScript();

  private void expectAnnouncement() {
    assertThat(script.take()).isEqualTo(Arp.LENGTH);
    assertThat(Ethernet.type(script.frame())).isEqualTo(Ethernet.TYPE_ARP);
    assertThat(Ethernet.destination(script.frame())).isEqualTo(Ethernet.BROADCAST);
    assertThat(Arp.operation(script.header)).isEqualTo(Arp.REQUEST);
    assertThat(Arp.senderMac(script.header)).isEqualTo(ScriptedDevice.OUR_MAC);
    assertThat(Arp.senderIp(script.header)).isEqualTo(OURS);
    assertThat(Arp.targetIp(script.header)).isEqualTo(OURS);
    assertThat(Arp.targetMac(script.header)).isZero();
  }

  @Test
  @DisplayName("RFC 5227 2.3: our address is announced twice, two seconds apart")
  void shouldAnnounceTwice() {
    script.ip.announce(script.now);
    script.ip.transmit();
    expectAnnouncement();
    assertThat(script.ip.nextDeadline()).isEqualTo(script.now + 2 * SECOND);
    script.pass(SECOND);
    script.expectNothing();
    script.pass(SECOND);
    expectAnnouncement();
    assertThat(script.ip.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    script.pass(100 * SECOND);
    script.expectNothing();
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 5227 2.3: a link that has come up hears of our address again")
  void shouldAnnounceWhenTheLinkComesUp() {
    script.pass(SECOND);
    script.expectNothing();
    script.device.up = false;
    script.pass(SECOND);
    script.expectNothing();
    assertThat(script.ip.counters().linkDowns).isEqualTo(1);
    script.device.up = true;
    script.pass(SECOND);
    expectAnnouncement();
    script.pass(2 * SECOND);
    expectAnnouncement();
    script.pass(2 * SECOND);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 5227 2.4: whoever claims our address is contradicted, once in ten seconds")
  void shouldDefendOurAddress() {
    script.arp(Arp.REQUEST, OTHER_MAC, OURS, OURS);
    expectAnnouncement();
    script.pass(9 * SECOND);
    script.arp(Arp.REPLY, OTHER_MAC, OURS, PEER);
    script.expectNothing();
    script.pass(SECOND);
    script.arp(Arp.REPLY, OTHER_MAC, OURS, PEER);
    expectAnnouncement();
    assertThat(script.ip.counters().addressConflicts).isEqualTo(3);
  }

  @Test
  @DisplayName("RFC 5227 2.4: our own announcement, seen again, is no conflict")
  void shouldKnowItsOwnAnnouncement() {
    script.arp(Arp.REQUEST, ScriptedDevice.OUR_MAC, OURS, OURS);
    script.expectNothing();
    assertThat(script.ip.counters().addressConflicts).isZero();
  }

  @Test
  @DisplayName("RFC 5227 2.1.1: a probe for our address is answered")
  void shouldAnswerAProbe() {
    script.arp(Arp.REQUEST, OTHER_MAC, 0, OURS);
    assertThat(script.take()).isEqualTo(Arp.LENGTH);
    assertThat(Arp.operation(script.header)).isEqualTo(Arp.REPLY);
    assertThat(Ethernet.destination(script.frame())).isEqualTo(OTHER_MAC);
    assertThat(Arp.senderIp(script.header)).isEqualTo(OURS);
  }

  @Test
  @DisplayName("RFC 5227 2.3: an announcement of another host plants nothing")
  void shouldNotLearnFromAnnouncements() {
    script.arp(Arp.REQUEST, PEER_MAC, PEER, PEER);
    assertThat(script.open(PEER).hop.resolved()).isFalse();
  }

  @Test
  @DisplayName("RFC 1122 2.3.2.1: an address that was not used for long is ignored any more")
  void shouldForgetAStaleAddress() {
    Path peer = script.open(PEER);
    send(peer);
    assertThat(script.take()).isEqualTo(Arp.LENGTH);
    script.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    assertThat(script.take()).isEqualTo(Ipv4.HEADER + 8);
    script.pass(659 * SECOND);
    send(peer);
    assertThat(script.take()).isEqualTo(Arp.LENGTH);
    assertThat(script.take()).isEqualTo(Ipv4.HEADER + 8);
    script.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    script.pass(660 * SECOND);
    send(peer);
    assertThat(script.take()).isEqualTo(Arp.LENGTH);
    script.expectNothing();
    script.arp(Arp.REPLY, OTHER_MAC, PEER, OURS);
    assertThat(script.take()).isEqualTo(Ipv4.HEADER + 8);
    assertThat(Ethernet.destination(script.frame())).isEqualTo(OTHER_MAC);
  }

  private void send(Path path) {
    long packet = script.pool.allocate();
    long address = script.pool.address(packet);
    path.send(packet, address, 8, Ipv4.NOT_ECT, script.now);
    script.ip.transmit();
  }

  @Test
  @DisplayName("RFC 5227 2.3: without a packet the announcement is made up for two seconds later")
  void shouldSurviveAnEmptyPool() {
    long[] taken = new long[script.pool.available()];
    for (int i = 0; i < taken.length; i++) {
      taken[i] = script.pool.allocate();
    }
    script.ip.announce(script.now);
    script.ip.transmit();
    script.expectNothing();
    assertThat(script.ip.counters().exhausted).isEqualTo(1);
    for (long packet : taken) {
      script.pool.release(packet);
    }
    script.pass(2 * SECOND);
    expectAnnouncement();
  }
}
