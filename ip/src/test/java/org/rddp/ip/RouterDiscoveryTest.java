package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.Ipv6Script.FAR;
import static org.rddp.ip.Ipv6Script.GATEWAY;
import static org.rddp.ip.Ipv6Script.OTHER_MAC;
import static org.rddp.ip.Ipv6Script.OURS;
import static org.rddp.ip.Ipv6Script.PEER;
import static org.rddp.ip.Ipv6Script.PEER_MAC;
import static org.rddp.ip.Ipv6Script.SECOND;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.device.ScriptedDevice;
import org.rddp.group.StackGroup;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Ndp;

/** Default routers by their advertisements, and redirects. */
class RouterDiscoveryTest {
  private static final int REPLY = Ndp.SOLICITED | Ndp.OVERRIDE | Ndp.ROUTER_FLAG;
  private static final Ipv6Address SECOND_ROUTER = Ipv6Address.parse("fe80::ff");
  private static final int NO_MTU = 0;

  private Ipv6Script script = Ipv6Script.withRouterAdvertisements(StackGroup.alone());

  private void router(Ipv6Address router, int hops, int lifetime, int mtu) {
    int length = RouterMessages.writeAdvertisement(script.payload, lifetime, mtu);
    script.build(Ipv6.ICMPV6, hops, router, Ipv6Address.ALL_NODES, length);
    script.message(length);
  }

  private void redirect(Ipv6Address router, Ipv6Address destination, Ipv6Address target) {
    int length =
        RouterMessages.writeRedirect(
            script.payload, target.high(), target.low(), destination.high(), destination.low());
    script.build(Ipv6.ICMPV6, 255, router, OURS, length);
    script.message(length);
  }

  @Test
  @DisplayName("a tunnel that a new stack has no route for is used as soon as there is one")
  void shouldUseATunnelWhenItsRouteAppears() {
    IpSecurity security =
        new IpSecurity(
            new SecurityPolicy(List.of(), PolicyAction.REQUIRE),
            List.of(OURS),
            new JceCiphers(),
            new byte[1]);
    byte[] keys = new byte[EspSuite.AES128_GCM16.keyOctets()];
    keys[0] = 1;
    security.add(
        AssociationSettings.usual(300, OURS, FAR, true, EspSuite.AES128_GCM16, PEER), keys, 0, 0);
    script = Ipv6Script.withRouterAdvertisements(security);
    script.ip.announce(script.now);
    sendInTunnel();
    assertThat(security.counters().noAssociation).isEqualTo(1);
    router(GATEWAY, 255, 1800, NO_MTU);
    sendInTunnel();
    assertThat(security.counters().noAssociation).isEqualTo(1);
    assertThat(security.counters().sealed).isEqualTo(1);
  }

  private void sendInTunnel() {
    Path path = script.ip.path(PEER);
    assertThat(path.open()).isTrue();
    long packet = script.pool.allocate();
    script.pool.window(packet, script.pool.address(packet), 40);
    path.send(packet, script.pool.address(packet), 40, 0, script.now);
    path.close();
  }

  private boolean reachesFar() {
    return script.ip.path(FAR).reaches();
  }

  private void expectSolicitation(Ipv6Address target) {
    assertThat(script.take()).isTrue();
    assertThat(Icmpv6.type(script.payload)).isEqualTo(Icmpv6.NEIGHBOUR_SOLICITATION);
    assertThat(Ndp.targetLow(script.payload)).isEqualTo(target.low());
  }

  private void expectPacketTo(long mac) {
    assertThat(script.take()).isTrue();
    assertThat(Ethernet.destination(script.frame())).isEqualTo(mac);
    assertThat(Ipv6.nextHeader(script.header)).isEqualTo(6);
  }

  /** The router answers to a packet that is sent to a far host. */
  private void use(Ipv6Address router, long mac) {
    Path far = script.open(FAR);
    script.send(far, 40);
    expectSolicitation(router);
    script.advertise(255, REPLY, router, script.linkLocal, mac);
    expectPacketTo(mac);
  }

  @Test
  @DisplayName("RFC 4861 6.3.4, 6.3.6: an advertised router is the next hop to other networks")
  void shouldUseAnAdvertisedRouter() {
    assertThat(reachesFar()).isFalse();
    assertThat(script.ip.path(FAR).route()).isNull();
    router(GATEWAY, 255, 1800, NO_MTU);
    assertThat(reachesFar()).isTrue();
    use(GATEWAY, PEER_MAC);
    assertThat(script.ip.counters().routerAdvertisements).isEqualTo(1);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4861 6.1.2: only a link-local sender with hop limit 255 is a router")
  void shouldNotBelieveOthers() {
    router(GATEWAY, 64, 1800, NO_MTU);
    router(PEER, 255, 1800, NO_MTU);
    router(script.linkLocal, 255, 1800, NO_MTU);
    assertThat(reachesFar()).isFalse();
    assertThat(script.ip.counters().malformed).isEqualTo(3);
    Ipv6Script configured = new Ipv6Script();
    configured.build(Ipv6.ICMPV6, 255, SECOND_ROUTER, Ipv6Address.ALL_NODES, Ndp.ROUTER);
    Memory.fill(configured.payload, Ndp.ROUTER, 0);
    Icmpv6.write(configured.payload, Icmpv6.ROUTER_ADVERTISEMENT, 0, 1800);
    configured.message(Ndp.ROUTER);
    assertThat(configured.ip.counters().icmpIgnored).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 4861 6.3.4, 6.3.5: a router is used no longer than it says")
  void shouldForgetRouters() {
    router(GATEWAY, 255, 30, NO_MTU);
    script.pass(29 * SECOND);
    assertThat(reachesFar()).isTrue();
    script.pass(SECOND);
    assertThat(reachesFar()).isFalse();
    router(GATEWAY, 255, 1800, NO_MTU);
    assertThat(reachesFar()).isTrue();
    router(GATEWAY, 255, 0, NO_MTU);
    assertThat(reachesFar()).isFalse();
  }

  @Test
  void shouldDropPacketsOfARouteWhoseRoutersAreGone() {
    router(GATEWAY, 255, 30, NO_MTU);
    Path far = script.open(FAR);
    script.pass(30 * SECOND);
    script.send(far, 40);
    script.expectNothing();
    assertThat(script.ip.counters().unresolved).isEqualTo(1);
    router(SECOND_ROUTER, 255, 30, NO_MTU);
    script.send(far, 40);
    expectSolicitation(SECOND_ROUTER);
    script.advertise(255, REPLY, SECOND_ROUTER, script.linkLocal, OTHER_MAC);
    expectPacketTo(OTHER_MAC);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName(
      "RFC 4861 6.3.6, 7.3.1: a router that does not answer, though it advertises itself, is replaced")
  void shouldUseAnotherRouter() {
    List<String> reports = new ArrayList<>();
    script.ip.reportTo(reports::add);
    router(GATEWAY, 255, 1800, NO_MTU);
    Path far = script.open(FAR);
    router(SECOND_ROUTER, 255, 1800, NO_MTU);
    script.send(far, 40);
    for (int i = 0; i < 3; i++) {
      expectSolicitation(GATEWAY);
      script.pass(SECOND);
    }
    script.expectNothing();
    router(GATEWAY, 255, 1800, NO_MTU);
    script.send(far, 40);
    expectSolicitation(SECOND_ROUTER);
    script.advertise(255, REPLY, SECOND_ROUTER, script.linkLocal, OTHER_MAC);
    expectPacketTo(OTHER_MAC);
    assertThat(reports).hasSize(1);
    script.pass(10 * SECOND);
    assertThat(reports).hasSize(2);
    assertThat(reports.getLast()).contains("fe80::ff");
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4861 6.3.6: if no router answers, they are tried in turn")
  void shouldTryRoutersInTurn() {
    router(GATEWAY, 255, 1800, NO_MTU);
    router(SECOND_ROUTER, 255, 1800, NO_MTU);
    Path far = script.open(FAR);
    for (Ipv6Address router : List.of(GATEWAY, SECOND_ROUTER, GATEWAY, SECOND_ROUTER)) {
      script.send(far, 40);
      for (int i = 0; i < 3; i++) {
        expectSolicitation(router);
        script.pass(SECOND);
      }
      script.expectNothing();
    }
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("What one stack of an interface hears of routers, the others learn")
  void shouldTellTheOtherStacks() {
    StackGroup group = new StackGroup(2);
    Ipv6Script other = Ipv6Script.withRouterAdvertisements(group.member(1));
    script = Ipv6Script.withRouterAdvertisements(group.member(0));
    router(GATEWAY, 255, 1800, 1400);
    other.ip.receive(other.now);
    Path far = other.ip.path(FAR);
    assertThat(far.reaches()).isTrue();
    assertThat(far.linkMtu()).isEqualTo(1400);
    redirect(GATEWAY, FAR, SECOND_ROUTER);
    other.ip.receive(other.now);
    assertThat(script.ip.counters().redirects).isZero();
    assertThat(other.ip.counters().redirects).isEqualTo(1);
  }

  @Test
  void shouldKeepEightRouters() {
    for (int i = 1; i <= 20_000; i++) {
      router(new Ipv6Address(GATEWAY.high(), i), 255, 1800, NO_MTU);
    }
    router(new Ipv6Address(GATEWAY.high(), DefaultRouters.MOST + 1), 255, 0, NO_MTU);
    for (int i = 1; i < DefaultRouters.MOST; i++) {
      router(new Ipv6Address(GATEWAY.high(), i), 255, 0, NO_MTU);
    }
    assertThat(reachesFar()).isTrue();
    router(new Ipv6Address(GATEWAY.high(), DefaultRouters.MOST), 255, 0, NO_MTU);
    assertThat(reachesFar()).isFalse();
  }

  @Test
  @DisplayName("RFC 4861 6.3.4: the link's MTU is a router's, from 1280 octets to our own")
  void shouldTakeTheMtu() {
    Path far = script.ip.path(FAR);
    router(GATEWAY, 255, 1800, 1400);
    assertThat(far.linkMtu()).isEqualTo(1400);
    assertThat(far.mtu()).isEqualTo(1400);
    assertThat(script.ip.path(Ipv4Address.parse("10.0.0.2")).linkMtu()).isEqualTo(1500);
    for (int wrong : new int[] {1279, 0, -1}) {
      router(GATEWAY, 255, 1800, wrong);
    }
    assertThat(far.linkMtu()).isEqualTo(1400);
    far.lowerMtu(1300, script.now);
    router(GATEWAY, 255, 1800, 9000);
    assertThat(far.linkMtu()).isEqualTo(1500);
    assertThat(far.mtu()).isEqualTo(1300);
    router(GATEWAY, 255, 1800, 1280);
    assertThat(far.mtu()).isEqualTo(1280);
    assertThat(script.heard).containsExactly("link", "link", "link");
  }

  @Test
  @DisplayName("RFC 4861 6.3.7, RFC 7559 2: routers are asked for until one answers")
  void shouldSolicit() {
    script.ip.announce(script.now);
    script.pass(2 * SECOND);
    takeAll();
    long asked = script.ip.counters().routerSolicitations;
    assertThat(asked).isEqualTo(1);
    for (long wait : new long[] {4, 8, 16, 32}) {
      script.pass(wait * SECOND - SECOND);
      takeAll();
      assertThat(script.ip.counters().routerSolicitations).isEqualTo(asked);
      script.pass(SECOND);
      assertThat(script.ip.counters().routerSolicitations).isEqualTo(++asked);
      expectRouterSolicitation();
    }
    router(GATEWAY, 255, 30, NO_MTU);
    script.pass(29 * SECOND);
    assertThat(script.ip.counters().routerSolicitations).isEqualTo(asked);
    script.pass(SECOND);
    script.pass(2 * SECOND);
    expectRouterSolicitation();
  }

  private void takeAll() {
    byte[] frame;
    do {
      frame = script.device.take();
    } while (frame != null);
  }

  private void expectRouterSolicitation() {
    Ipv6Address routers = Ipv6Address.ALL_ROUTERS;
    long mac = Ethernet.ipv6Group(routers.low());
    script.expectMessage(Icmpv6.ROUTER_SOLICITATION, script.linkLocal, routers, mac);
    assertThat(Ipv6.hopLimit(script.header)).isEqualTo(255);
    int length = Ipv6.payloadLength(script.header);
    assertThat(
            Ndp.linkLayer(script.payload, length, Ndp.ROUTER_SOLICITATION, Ndp.SOURCE_LINK_LAYER))
        .isEqualTo(ScriptedDevice.OUR_MAC);
  }

  @Test
  @DisplayName("RFC 4861 8.3: a redirect changes the next hop to one destination")
  void shouldFollowARedirect() {
    router(GATEWAY, 255, 1800, NO_MTU);
    Path far = script.open(FAR);
    use(GATEWAY, PEER_MAC);
    redirect(GATEWAY, FAR, SECOND_ROUTER);
    script.send(far, 40);
    expectSolicitation(SECOND_ROUTER);
    script.advertise(255, REPLY, SECOND_ROUTER, script.linkLocal, OTHER_MAC);
    expectPacketTo(OTHER_MAC);
    redirect(SECOND_ROUTER, FAR, FAR);
    script.send(far, 40);
    expectSolicitation(FAR);
    assertThat(script.ip.counters().redirects).isEqualTo(2);
    Ipv6Address other = new Ipv6Address(FAR.high(), 8);
    script.send(other, 40);
    expectPacketTo(PEER_MAC);
  }

  @Test
  @DisplayName("RFC 4861 7.3.3: the router is used again if the redirect's target does not answer")
  void shouldReturnToTheRouter() {
    router(GATEWAY, 255, 1800, NO_MTU);
    Path far = script.open(FAR);
    use(GATEWAY, PEER_MAC);
    redirect(GATEWAY, FAR, SECOND_ROUTER);
    script.send(far, 40);
    for (int i = 0; i < 3; i++) {
      expectSolicitation(SECOND_ROUTER);
      script.pass(SECOND);
    }
    script.send(far, 40);
    expectPacketTo(PEER_MAC);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4861 6.3.5: nothing is redirected to a host that is no router any more")
  void shouldEndRedirectsToAFormerRouter() {
    router(GATEWAY, 255, 1800, NO_MTU);
    Path far = script.open(FAR);
    use(GATEWAY, PEER_MAC);
    router(SECOND_ROUTER, 255, 1800, NO_MTU);
    redirect(GATEWAY, FAR, SECOND_ROUTER);
    router(SECOND_ROUTER, 255, 0, NO_MTU);
    script.send(far, 40);
    expectPacketTo(PEER_MAC);
  }

  @Test
  @DisplayName("RFC 4861 6.3.7: a stack that has heard of no router asks after the first one")
  void shouldSolicitFromEveryStack() {
    StackGroup group = new StackGroup(2);
    Ipv6Script first = Ipv6Script.withRouterAdvertisements(group.member(0));
    script = Ipv6Script.withRouterAdvertisements(group.member(1));
    first.ip.announce(first.now);
    script.ip.announce(script.now);
    first.pass(SECOND);
    script.pass(3 * SECOND);
    script.expectNothing();
    script.pass(3 * SECOND);
    expectRouterSolicitation();
  }

  @Test
  @DisplayName("RFC 4861 8.1: only the router in use redirects, and not to another network")
  void shouldIgnoreOtherRedirects() {
    router(GATEWAY, 255, 1800, NO_MTU);
    Path far = script.open(FAR);
    use(GATEWAY, PEER_MAC);
    redirect(SECOND_ROUTER, FAR, SECOND_ROUTER);
    redirect(PEER, FAR, SECOND_ROUTER);
    redirect(GATEWAY, FAR, PEER);
    redirect(GATEWAY, Ipv6Address.ALL_NODES, SECOND_ROUTER);
    redirect(GATEWAY, new Ipv6Address(FAR.high(), 9), SECOND_ROUTER);
    script.ip.path(PEER);
    redirect(GATEWAY, PEER, SECOND_ROUTER);
    assertThat(script.ip.counters().redirects).isZero();
    assertThat(script.ip.counters().malformed).isEqualTo(3);
    assertThat(script.ip.counters().icmpIgnored).isEqualTo(3);
    script.send(far, 40);
    expectPacketTo(PEER_MAC);
  }
}
