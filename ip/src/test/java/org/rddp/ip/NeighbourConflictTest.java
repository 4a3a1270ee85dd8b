package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.IpScript.OTHER_MAC;
import static org.rddp.ip.IpScript.OURS;
import static org.rddp.ip.IpScript.PEER;
import static org.rddp.ip.IpScript.PEER_MAC;
import static org.rddp.ip.IpScript.SECOND;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;

/** Another station claims the address of a known neighbour. */
class NeighbourConflictTest {
  private final IpScript script = new IpScript();
  private final Path peer = script.open(PEER);
  private final List<String> reports = new ArrayList<>();

  @BeforeEach
  void learnTheNeighbour() {
    script.ip.reportTo(reports::add);
    send();
    expectRequestTo(Ethernet.BROADCAST);
    script.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    expectPacketTo(PEER_MAC);
    script.pass(2 * SECOND);
  }

  private void send() {
    long packet = script.pool.allocate();
    peer.send(packet, script.pool.address(packet), 8, Ipv4.NOT_ECT, script.now);
    script.ip.transmit();
  }

  private void expectRequestTo(long mac) {
    assertThat(script.take()).isEqualTo(Arp.LENGTH);
    assertThat(Ethernet.destination(script.frame())).isEqualTo(mac);
    assertThat(Arp.operation(script.header)).isEqualTo(Arp.REQUEST);
    assertThat(Arp.targetIp(script.header)).isEqualTo(PEER);
  }

  private void expectPacketTo(long mac) {
    assertThat(script.take()).isEqualTo(Ipv4.HEADER + 8);
    assertThat(Ethernet.destination(script.frame())).isEqualTo(mac);
  }

  /** One forged request and five forged replies, as fast as they come. */
  private void forge() {
    script.arp(Arp.REQUEST, OTHER_MAC, PEER, PEER);
    for (int i = 0; i < 5; i++) {
      script.arp(Arp.REPLY, OTHER_MAC, PEER, OURS);
    }
  }

  @Test
  @DisplayName("RFC 1122 2.3.2.1: a host that answers is not displaced by forged messages")
  void shouldAskTheKnownAddressFirst() {
    forge();
    expectRequestTo(PEER_MAC);
    send();
    expectPacketTo(PEER_MAC);
    script.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    forge();
    send();
    expectPacketTo(PEER_MAC);
    script.pass(3 * SECOND);
    script.expectNothing();
  }

  @Test
  void shouldAskTwiceInASecond() {
    forge();
    expectRequestTo(PEER_MAC);
    script.pass(SECOND / 2);
    expectRequestTo(PEER_MAC);
    script.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    script.pass(3 * SECOND);
    script.expectNothing();
  }

  @Test
  void shouldFollowAHostWhoseKnownAddressDoesNotAnswer() {
    script.arp(Arp.REQUEST, OTHER_MAC, PEER, PEER);
    expectRequestTo(PEER_MAC);
    script.pass(SECOND / 2);
    expectRequestTo(PEER_MAC);
    script.pass(SECOND / 2 - 1);
    script.arp(Arp.REPLY, OTHER_MAC, PEER, OURS);
    send();
    expectPacketTo(PEER_MAC);
    script.pass(1);
    expectRequestTo(Ethernet.BROADCAST);
    script.arp(Arp.REPLY, OTHER_MAC, PEER, OURS);
    send();
    expectPacketTo(OTHER_MAC);
  }

  @Test
  @DisplayName("RFC 1122 2.3.2.1: the confirmation that is due after a minute cannot be forged")
  void shouldConfirmAtTheKnownAddress() {
    script.pass(60 * SECOND);
    send();
    expectRequestTo(PEER_MAC);
    expectPacketTo(PEER_MAC);
    script.arp(Arp.REPLY, OTHER_MAC, PEER, OURS);
    send();
    expectPacketTo(PEER_MAC);
    script.pass(SECOND / 2);
    expectRequestTo(PEER_MAC);
    script.pass(SECOND / 2);
    for (int i = 0; i < 3; i++) {
      expectRequestTo(Ethernet.BROADCAST);
      script.pass(SECOND);
    }
    assertThat(peer.hop.resolved()).isFalse();
  }

  @Test
  void shouldCountEveryClaimAndReportOneInTenSeconds() {
    forge();
    assertThat(script.ip.counters().neighbourConflicts).isEqualTo(6);
    assertThat(reports).hasSize(1);
    script.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    script.pass(9 * SECOND);
    forge();
    assertThat(reports).hasSize(1);
    script.arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    script.pass(SECOND);
    forge();
    assertThat(script.ip.counters().neighbourConflicts).isEqualTo(18);
    assertThat(reports)
        .containsExactly(
            "ARP: 02:00:00:00:00:66 claims 10.0.0.2, which is at 02:00:00:00:00:02 and is asked"
                + " there first; 1 such messages since the last report",
            "ARP: 02:00:00:00:00:66 claims 10.0.0.2, which is at 02:00:00:00:00:02 and is asked"
                + " there first; 12 such messages since the last report");
  }
}
