package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.Ipv6Script.FAR;
import static org.rddp.ip.Ipv6Script.GATEWAY;
import static org.rddp.ip.Ipv6Script.OTHER;
import static org.rddp.ip.Ipv6Script.OTHER_MAC;
import static org.rddp.ip.Ipv6Script.OURS;
import static org.rddp.ip.Ipv6Script.PEER;
import static org.rddp.ip.Ipv6Script.PEER_MAC;
import static org.rddp.ip.Ipv6Script.SECOND;
import static org.rddp.ip.Ipv6Script.UDP;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.ScriptedDevice;
import org.rddp.group.StackGroup;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Mldv2;
import org.rddp.wire.Ndp;

/** Neighbour Discovery, duplicate address detection and reports of groups. */
class NeighbourDiscoveryTest {
  private static final int REPLY = Ndp.SOLICITED | Ndp.OVERRIDE;

  private final Ipv6Script script = new Ipv6Script();

  private void expectSolicitation(Ipv6Address target, long mac) {
    boolean alone = Ethernet.unicast(mac);
    Ipv6Address source = target.linkLocal() ? script.linkLocal : OURS;
    Ipv6Address destination = alone ? target : target.solicitedNode();
    script.expectMessage(Icmpv6.NEIGHBOUR_SOLICITATION, source, destination, mac);
    assertThat(Ipv6.hopLimit(script.header)).isEqualTo(255);
    assertThat(Ndp.targetHigh(script.payload)).isEqualTo(target.high());
    assertThat(Ndp.targetLow(script.payload)).isEqualTo(target.low());
    assertThat(option(Ndp.SOURCE_LINK_LAYER)).isEqualTo(ScriptedDevice.OUR_MAC);
  }

  private long option(int type) {
    int length = Ipv6.payloadLength(script.header);
    return Ndp.linkLayer(script.payload, length, Ndp.NEIGHBOUR, type);
  }

  private static long group(Ipv6Address address) {
    return Ethernet.ipv6Group(address.solicitedNode().low());
  }

  private void expectPacketTo(long mac) {
    assertThat(script.take()).isTrue();
    assertThat(Ethernet.destination(script.frame())).isEqualTo(mac);
    assertThat(Ipv6.nextHeader(script.header)).isEqualTo(6);
  }

  private void expectAdvertisement(Ipv6Address target, Ipv6Address to, long mac, int flags) {
    script.expectMessage(Icmpv6.NEIGHBOUR_ADVERTISEMENT, target, to, mac);
    assertThat(Ipv6.hopLimit(script.header)).isEqualTo(255);
    assertThat(Ndp.flags(script.payload)).isEqualTo(flags);
    assertThat(option(Ndp.TARGET_LINK_LAYER)).isEqualTo(ScriptedDevice.OUR_MAC);
  }

  @Test
  @DisplayName("RFC 4861 7.2.2: packets wait for the answer to a solicitation")
  void shouldAskAndSend() {
    script.send(PEER, 40);
    expectSolicitation(PEER, group(PEER));
    script.expectNothing();
    script.advertise(255, REPLY, PEER, OURS, PEER_MAC);
    expectPacketTo(PEER_MAC);
    script.send(PEER, 40);
    expectPacketTo(PEER_MAC);
    script.expectNothing();
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4861 7.2.2: three solicitations, a second apart")
  void shouldGiveUpAfterThreeQuestions() {
    script.send(PEER, 40);
    for (int i = 0; i < 3; i++) {
      expectSolicitation(PEER, group(PEER));
      script.expectNothing();
      script.pass(SECOND);
    }
    script.expectNothing();
    assertThat(script.ip.counters().unresolved).isEqualTo(1);
    script.expectEveryPacketBack();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 64, 254})
  @DisplayName("RFC 4861 7.1: messages with a hop limit other than 255 are ignored")
  void shouldBelieveOnlyTheLink(int hops) {
    script.send(PEER, 40);
    expectSolicitation(PEER, group(PEER));
    script.advertise(hops, REPLY, PEER, OURS, PEER_MAC);
    script.solicit(hops, PEER, OURS, OURS.solicitedNode(), PEER_MAC);
    script.expectNothing();
    assertThat(script.ip.counters().malformed).isEqualTo(2);
  }

  @Test
  void shouldNotBelieveAnswersToNoQuestion() {
    script.advertise(255, REPLY, PEER, OURS, OTHER_MAC);
    script.send(PEER, 40);
    expectSolicitation(PEER, group(PEER));
    script.advertise(255, Ndp.OVERRIDE, PEER, Ipv6Address.ALL_NODES, OTHER_MAC);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 4861 7.3: a neighbour in use is confirmed, at its MAC address first")
  void shouldConfirmReachability() {
    script.send(PEER, 40);
    script.take();
    script.advertise(255, REPLY, PEER, OURS, PEER_MAC);
    expectPacketTo(PEER_MAC);
    script.pass(30 * SECOND);
    script.send(PEER, 40);
    expectSolicitation(PEER, PEER_MAC);
    expectPacketTo(PEER_MAC);
    script.advertise(255, REPLY, PEER, OURS, OTHER_MAC);
    script.send(PEER, 40);
    expectPacketTo(PEER_MAC);
    script.pass(SECOND / 2);
    expectSolicitation(PEER, PEER_MAC);
    script.advertise(255, REPLY, PEER, OURS, PEER_MAC);
    script.pass(10 * SECOND);
    script.expectNothing();
    assertThat(script.ip.counters().neighbourConflicts).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 4861 7.2.4: a solicitation for our address is answered to the asker")
  void shouldAnswer() {
    script.solicit(255, PEER, OURS, OURS.solicitedNode(), PEER_MAC);
    expectAdvertisement(OURS, PEER, PEER_MAC, REPLY);
    script.solicit(255, PEER, script.linkLocal, script.linkLocal.solicitedNode(), OTHER_MAC);
    expectAdvertisement(script.linkLocal, PEER, OTHER_MAC, REPLY);
    script.solicit(255, PEER, OURS, OURS, 0);
    expectAdvertisement(OURS, PEER, PEER_MAC, REPLY);
    script.solicit(255, PEER, OTHER, OURS.solicitedNode(), PEER_MAC);
    script.expectNothing();
    assertThat(script.ip.counters().advertisements).isEqualTo(3);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4861 7.1.1: a solicitation from no address tells no MAC address")
  void shouldRefuseAProbeWithAnOption() {
    script.solicit(255, Ipv6Address.UNSPECIFIED, OURS, OURS.solicitedNode(), PEER_MAC);
    script.expectNothing();
    script.solicit(255, Ipv6Address.UNSPECIFIED, OURS, OURS, 0);
    script.expectNothing();
    assertThat(script.ip.counters().malformed).isEqualTo(2);
  }

  @Test
  void shouldUseTheGatewayForOtherNetworks() {
    script.send(FAR, 40);
    expectSolicitation(GATEWAY, group(GATEWAY));
    script.advertise(255, REPLY | Ndp.ROUTER_FLAG, GATEWAY, script.linkLocal, PEER_MAC);
    expectPacketTo(PEER_MAC);
    assertThat(Ipv6.destinationHigh(script.header)).isEqualTo(FAR.high());
  }

  private void takeReports(Ipv6Address source) {
    assertThat(script.take()).isTrue();
    assertThat(Ipv6.nextHeader(script.header)).isEqualTo(Ipv6.HOP_BY_HOP);
    assertThat(Ipv6.hopLimit(script.header)).isEqualTo(1);
    assertThat(Ipv6.sourceLow(script.header)).isEqualTo(source.low());
    long report = script.payload + Mldv2.ROUTER_ALERT_LENGTH;
    assertThat(Mldv2.records(report)).isEqualTo(2);
    assertThat(Mldv2.recordLow(report, 0)).isEqualTo(OURS.solicitedNode().low());
    assertThat(Mldv2.recordLow(report, 1)).isEqualTo(script.linkLocal.solicitedNode().low());
  }

  private void expectProbe(Ipv6Address target) {
    script.expectMessage(
        Icmpv6.NEIGHBOUR_SOLICITATION,
        Ipv6Address.UNSPECIFIED,
        target.solicitedNode(),
        group(target));
    assertThat(option(Ndp.SOURCE_LINK_LAYER)).isEqualTo(-1);
  }

  private void announce() {
    script.ip.announce(script.now);
    script.ip.transmit();
    takeReports(Ipv6Address.UNSPECIFIED);
    expectProbe(OURS);
    expectProbe(script.linkLocal);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 4862 5.4, RFC 3590: probes and reports first, then the addresses are announced")
  void shouldCheckAddressesBeforeUse() {
    announce();
    script.solicit(255, PEER, OURS, OURS.solicitedNode(), PEER_MAC);
    script.packet(6, PEER, 40, 0);
    script.receive();
    script.expectNothing();
    assertThat(script.heard).isEmpty();
    script.pass(SECOND);
    long all = Ethernet.ipv6Group(1);
    expectAdvertisement(OURS, Ipv6Address.ALL_NODES, all, Ndp.OVERRIDE);
    expectAdvertisement(script.linkLocal, Ipv6Address.ALL_NODES, all, Ndp.OVERRIDE);
    takeReports(script.linkLocal);
    script.packet(6, PEER, 40, 0);
    script.receive();
    assertThat(script.heard).containsExactly("2001:db8::2 40");
    for (int i = 0; i < 2; i++) {
      script.solicit(255, Ipv6Address.UNSPECIFIED, OURS, OURS.solicitedNode(), 0);
      expectAdvertisement(OURS, Ipv6Address.ALL_NODES, all, Ndp.OVERRIDE);
    }
    script.advertise(255, Ndp.OVERRIDE, OURS, Ipv6Address.ALL_NODES, OTHER_MAC);
    script.expectNothing();
    assertThat(script.ip.counters().addressConflicts).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("RFC 4862 5.4.3, 5.4.4: an address that another host has, or probes, is not used")
  void shouldNotUseADuplicate(boolean probe) {
    announce();
    if (probe) {
      script.solicit(255, Ipv6Address.UNSPECIFIED, OURS, OURS.solicitedNode(), 0);
    } else {
      script.advertise(255, Ndp.OVERRIDE, OURS, Ipv6Address.ALL_NODES, OTHER_MAC);
    }
    script.pass(SECOND);
    expectAdvertisement(
        script.linkLocal, Ipv6Address.ALL_NODES, Ethernet.ipv6Group(1), Ndp.OVERRIDE);
    takeReports(script.linkLocal);
    script.packet(6, PEER, 40, 0);
    script.receive();
    script.send(PEER, 40);
    script.expectNothing();
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().addressConflicts).isEqualTo(1);
    script.expectEveryPacketBack();
  }

  private void expectAnnouncement(Ipv6Address address) {
    expectAdvertisement(address, Ipv6Address.ALL_NODES, Ethernet.ipv6Group(1), Ndp.OVERRIDE);
  }

  private void takeAll() {
    boolean more = true;
    while (more) {
      more = script.take();
    }
  }

  /** How many seconds pass before the next probe for our address. */
  private int secondsUntilProbe() {
    for (int seconds = 1; ; seconds++) {
      assertThat(seconds).isLessThan(1000);
      script.pass(SECOND);
      while (script.take()) {
        if (Ipv6.sourceHigh(script.header) == 0
            && Icmpv6.type(script.payload) == Icmpv6.NEIGHBOUR_SOLICITATION) {
          assertThat(Ndp.targetLow(script.payload)).isEqualTo(OURS.low());
          return seconds;
        }
      }
    }
  }

  @Test
  @DisplayName(
      "RFC 4862 5.4.5: one forged claim keeps an address from us for seconds, not for good")
  void shouldCheckALostAddressAgainAndUseIt() {
    List<String> reports = new ArrayList<>();
    script.ip.reportTo(reports::add);
    announce();
    script.advertise(255, Ndp.OVERRIDE, OURS, Ipv6Address.ALL_NODES, OTHER_MAC);
    assertThat(script.ip.counters().addressDuplicates).isEqualTo(1);
    assertThat(secondsUntilProbe()).isLessThanOrEqualTo(2);
    for (int probe = 2; probe <= 3; probe++) {
      assertThat(secondsUntilProbe()).isEqualTo(1);
    }
    script.solicit(255, PEER, OURS, OURS.solicitedNode(), PEER_MAC);
    script.expectNothing();
    script.pass(SECOND);
    expectAnnouncement(OURS);
    script.solicit(255, PEER, OURS, OURS.solicitedNode(), PEER_MAC);
    expectAdvertisement(OURS, PEER, PEER_MAC, REPLY);
    assertThat(script.ip.counters().addressDuplicates).isZero();
    assertThat(reports).hasSize(2);
    assertThat(reports.getFirst())
        .matches("ALARM: duplicate address 2001:db8::1: 02:.* has it, .*checked again in 1 s");
    assertThat(reports.getLast()).isEqualTo("2001:db8::1 is used now: nobody else has it");
  }

  @Test
  void shouldAskMoreAndMoreSeldomWhileAnotherHostAnswers() {
    announce();
    int last = 0;
    for (int pause = 1; pause < 1000; pause = Math.min(2 * pause, 1024)) {
      script.advertise(255, Ndp.OVERRIDE, OURS, Ipv6Address.ALL_NODES, OTHER_MAC);
      last = secondsUntilProbe();
      assertThat(last).isBetween(Math.min(pause, 256), 2 * Math.min(pause, 256));
    }
    assertThat(last).isGreaterThanOrEqualTo(256);
    assertThat(script.ip.counters().addressDuplicates).isEqualTo(1);
    script.expectEveryPacketBack();
  }

  @Test
  void shouldSendNoErrorFromAnAddressThatIsChecked() {
    announce();
    script.packet(UDP, PEER, 20, 0);
    script.receive();
    script.expectNothing();
    script.pass(SECOND);
    takeAll();
    script.packet(UDP, PEER, 20, 0);
    script.receive();
    script.expectError(Icmpv6.PARAMETER_PROBLEM, Icmpv6.UNKNOWN_NEXT_HEADER, 6);
  }

  @Test
  @DisplayName("RFC 4862 5.4: every stack of an interface waits for the check that the first makes")
  void shouldWaitForTheCheckOfTheFirstStack() {
    StackGroup group = new StackGroup(2);
    Ipv6Script first = new Ipv6Script(group.member(0));
    Ipv6Script second = new Ipv6Script(group.member(1));
    second.ip.announce(second.now);
    first.ip.announce(first.now);
    second.send(PEER, 40);
    second.solicit(255, PEER, OURS, OURS.solicitedNode(), PEER_MAC);
    second.packet(6, PEER, 40, 0);
    second.receive();
    second.expectNothing();
    assertThat(second.heard).isEmpty();
    first.pass(SECOND);
    second.packet(6, PEER, 40, 0);
    second.receive();
    assertThat(second.heard).containsExactly("2001:db8::2 40");
    second.solicit(255, PEER, OURS, OURS.solicitedNode(), PEER_MAC);
    assertThat(second.take()).isTrue();
    assertThat(Icmpv6.type(second.payload)).isEqualTo(Icmpv6.NEIGHBOUR_ADVERTISEMENT);
  }

  @Test
  void shouldGiveUpAnAddressForAClaimThatCameToAnotherStack() {
    StackGroup group = new StackGroup(2);
    Ipv6Script first = new Ipv6Script(group.member(0));
    Ipv6Script second = new Ipv6Script(group.member(1));
    first.ip.announce(first.now);
    second.advertise(255, Ndp.OVERRIDE, OURS, Ipv6Address.ALL_NODES, OTHER_MAC);
    second.expectNothing();
    first.ip.receive(first.now);
    first.pass(SECOND);
    second.packet(6, PEER, 40, 0);
    second.receive();
    assertThat(second.heard).isEmpty();
    assertThat(first.ip.counters().addressDuplicates).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 3810 6: a router that asks gets a report; nobody else does")
  void shouldAnswerQueries() {
    String query = "8200 0000 0000 0000" + "00".repeat(20);
    for (int hops : new int[] {1, 64}) {
      script.receive(Ipv6.ICMPV6, GATEWAY, Ipv6Address.ALL_NODES, query);
      script.build(Ipv6.ICMPV6, hops, GATEWAY, Ipv6Address.ALL_NODES, 28);
      script.message(28);
    }
    takeReports(script.linkLocal);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 6583: solicitations and packets from many addresses leave nothing behind")
  void shouldKeepNothingOfAFlood() {
    for (int i = 0; i < 20_000; i++) {
      Ipv6Address source = new Ipv6Address(PEER.high(), 1000 + i);
      script.solicit(255, source, OURS, OURS.solicitedNode(), PEER_MAC);
      script.packet(6, source, 40, 0);
      script.receive();
      expectAdvertisement(OURS, source, PEER_MAC, REPLY);
    }
    assertThat(script.ip.path(new Ipv6Address(PEER.high(), 5)).number()).isLessThanOrEqualTo(257);
    script.expectEveryPacketBack();
  }
}
