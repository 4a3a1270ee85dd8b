package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.ip.SecuredLink.SPI;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.Lifetime;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;

/** Security associations of an interface: what they accept, and how they live and end. */
class IpSecurityTest {
  private static final EspSuite GCM = EspSuite.AES128_GCM16;

  @ParameterizedTest(name = "ESN {0}, used {1}")
  @CsvSource({"true, 4294967290", "false, 4294967290"})
  @DisplayName("RFC 4303 section 3.3.3: numbers go on beyond 2^32 with ESN, and end there without")
  void shouldNotUseANumberTwice(boolean esn, long used) {
    SecuredLink link = SecuredLink.requiring();
    link.associate(link.here, link.there, SPI, false, false, GCM, esn, used);
    for (int i = 0; i < 20; i++) {
      link.here.send(link.there.ipv4, 8);
    }
    int left = esn ? 20 : 5;
    assertThat(link.there.heard).hasSize(left);
    assertThat(link.here.counters().noAssociation).isEqualTo(20 - left);
    Association sent = link.here.security.associations().getFirst();
    assertThat(sent.sequence()).isEqualTo(used + left);
    assertThat(sent.isOver(link.now)).isEqualTo(!esn);
    assertThat(sent.isSoftOver(link.now)).isEqualTo(!esn);
  }

  @Test
  @DisplayName("RFC 4301 section 4.4.2.1: after its hard lifetime an association carries nothing")
  void shouldEndWithTheLifetime() {
    SecuredLink link = SecuredLink.requiring();
    byte[] keys = link.keys(GCM);
    Lifetime lifetime = new Lifetime(50, 100, 1_000_000_000_000L, 2_000_000_000_000L);
    for (SecuredLink.Host each : List.of(link.here, link.there)) {
      HostAddress remote = each == link.here ? link.there.ipv4 : link.here.ipv4;
      each.security.add(
          new AssociationSettings(
              SPI,
              link.here.ipv4,
              link.there.ipv4,
              false,
              GCM,
              true,
              64,
              TrafficSelector.of(remote),
              lifetime),
          keys,
          0,
          link.now);
    }
    link.here.send(link.there.ipv4, 20);
    Association sent = link.here.security.associations().getFirst();
    assertThat(sent.isSoftOver(link.now)).isFalse();
    link.here.send(link.there.ipv4, 20);
    assertThat(sent.isSoftOver(link.now)).isTrue();
    assertThat(sent.octets()).isEqualTo(80);
    byte[] late = link.sealedButLost(false);
    link.here.send(link.there.ipv4, 20);
    assertThat(link.here.counters().noAssociation).isEqualTo(1);
    assertThat(link.there.heard).hasSize(2);
    link.pass(2_000_000_000_000L);
    link.inject(late);
    assertThat(link.there.counters().expired).isEqualTo(1);
    assertThat(link.there.heard).hasSize(2);
  }

  @Test
  @DisplayName("the association added last is used, whether it is for a host or for a network")
  void shouldUseTheNewestOfHostsAndNetworks() {
    SecuredLink link = SecuredLink.requiring();
    List<String> prefixes = List.of("10.0.0.2", "10.0.0.0/24", "10.0.0.2", "10.0.0.0/30");
    for (int i = 0; i < prefixes.size(); i++) {
      AddressPrefix remote = AddressPrefix.parse(prefixes.get(i));
      link.here.security.add(
          new AssociationSettings(
              SPI + i,
              link.here.ipv4,
              link.there.ipv4,
              true,
              GCM,
              true,
              64,
              new TrafficSelector(remote, false, 0, 0),
              Lifetime.UNLIMITED),
          link.keys(GCM),
          0,
          link.now);
      assertThat(spiUsed(link)).isEqualTo(SPI + i);
    }
    for (int i = prefixes.size() - 1; i > 0; i--) {
      assertThat(link.here.security.delete(SPI + i, link.there.ipv4)).isTrue();
      assertThat(spiUsed(link)).isEqualTo(SPI + i - 1);
    }
    assertThat(link.here.security.delete(SPI, link.there.ipv4)).isTrue();
    link.expectEveryPacketBack();
  }

  /** The SPI of a packet to the other host. */
  private static int spiUsed(SecuredLink link) {
    link.here.send(link.there.ipv4, 8);
    byte[] last = link.packets().getLast();
    return ByteBuffer.wrap(last).getInt(Ethernet.HEADER + Ipv4.HEADER);
  }

  @Test
  @DisplayName("the association added last is used, and earlier ones still receive")
  void shouldRollOver() {
    SecuredLink link = SecuredLink.requiring();
    link.associate(link.here, link.there, SPI, false, false, GCM, true, 0);
    byte[] early = link.sealedButLost(false);
    link.associate(link.here, link.there, SPI + 8, false, true, GCM, true, 0);
    link.here.send(link.there.ipv4, 8);
    byte[] last = link.packets().getLast();
    assertThat(last[Ethernet.HEADER + Ipv4.HEADER + 3]).isEqualTo((byte) 8);
    link.inject(early);
    assertThat(link.there.heard).hasSize(2);
    assertThat(link.here.security.delete(SPI, link.there.ipv4)).isTrue();
    assertThat(link.there.security.delete(SPI, link.there.ipv4)).isTrue();
    assertThat(link.there.security.delete(SPI, link.there.ipv4)).isFalse();
    link.inject(early);
    assertThat(link.there.counters().unknownSpi).isEqualTo(1);
    link.here.send(link.there.ipv4, 8);
    assertThat(link.there.heard).hasSize(3);
    assertThat(link.here.security.delete(SPI + 8, link.there.ipv4)).isTrue();
    link.here.send(link.there.ipv4, 8);
    assertThat(link.here.counters().noAssociation).isEqualTo(1);
    assertThat(link.here.counters().associations).isZero();
    link.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4106 section 2: keys are used once, also after their association is gone")
  void shouldRefuseUsedKeys() {
    SecuredLink link = SecuredLink.requiring();
    IpSecurity security = link.here.security;
    byte[] keys = link.keys(GCM);
    AssociationSettings out =
        SecuredLink.settings(SPI, link.here.ipv4, link.there.ipv4, false, GCM);
    AssociationSettings in =
        AssociationSettings.usual(
            SPI, link.there.ipv4, link.here.ipv4, false, GCM, link.there.ipv4);
    security.add(out, keys, 0, link.now);
    assertThatThrownBy(() -> security.add(in, keys, 0, link.now))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keys of its own");
    assertThat(security.delete(SPI, link.there.ipv4)).isTrue();
    assertThatThrownBy(() -> security.add(out, keys, 0, link.now))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("used before");
    security.add(out, link.keys(GCM), 0, link.now);
    assertThatThrownBy(() -> security.add(out, link.keys(GCM), 0, link.now))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("0x00001000 already");
    assertThatThrownBy(() -> security.add(in, new byte[20], 0, link.now))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("zero");
    assertThatThrownBy(() -> security.add(in, new byte[19], 0, link.now))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("20 octets");
    AssociationSettings foreign =
        SecuredLink.settings(
            SPI, Ipv4Address.parse("10.0.0.8"), Ipv4Address.parse("10.0.0.9"), false, GCM);
    assertThatThrownBy(() -> security.add(foreign, link.keys(GCM), 0, link.now))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10.0.0.1");
    AssociationSettings elsewhere =
        AssociationSettings.usual(
            SPI, link.there.ipv4, link.here.ipv4, false, GCM, Ipv4Address.parse("10.0.0.9"));
    assertThatThrownBy(() -> security.add(elsewhere, link.keys(GCM), 0, link.now))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("transport mode");
  }

  /** Counts the ciphers that are open. */
  private static final class CountedCiphers implements EspCipher.Factory {
    int open;
    int left = Integer.MAX_VALUE;

    @Override
    public EspCipher cipher(EspSuite suite, boolean esn, byte[] keys) {
      if (left-- == 0) {
        throw new IllegalStateException("no memory for a cipher");
      }
      open++;
      return new EspCipher() {
        private boolean closed;

        @Override
        public void seal(long payload, int length, int next, int spi, long sequence, long sealed) {}

        @Override
        public int open(long sealed, int length, long sequence) {
          return -1;
        }

        @Override
        public void close() {
          assertThat(closed).isFalse();
          closed = true;
          open--;
        }
      };
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("each stack's keys are forgotten, also if it never had a turn in between")
  void shouldCloseEveryCipher(boolean receives) {
    HostAddress ours = Ipv4Address.parse("10.0.0.1");
    HostAddress peer = Ipv4Address.parse("10.0.0.2");
    CountedCiphers ciphers = new CountedCiphers();
    AssociationDatabase database =
        new AssociationDatabase(List.of(ours), ciphers, new UsedKeys(new byte[] {1}), 3);
    SecurityPolicy policy = new SecurityPolicy(List.of(), PolicyAction.REQUIRE);
    IpSecurity first = new IpSecurity(policy, database, 0);
    IpSecurity second = new IpSecurity(policy, database, 1);
    HostAddress destination = receives ? ours : peer;
    AssociationSettings settings =
        AssociationSettings.usual(SPI, receives ? peer : ours, destination, false, GCM, peer);
    first.add(settings, keys(1), 0, 0);
    assertThat(ciphers.open).isEqualTo(receives ? 1 : 3);
    assertThat(first.delete(SPI, destination)).isTrue();
    assertThat(ciphers.open).as("none is in use").isZero();
    second.refresh();
    // The second stack uses its part until its next turn, the third one never has.
    first.add(settings, keys(2), 0, 0);
    second.refresh();
    first.delete(SPI, destination);
    assertThat(ciphers.open).isEqualTo(receives ? 0 : 1);
    second.refresh();
    assertThat(ciphers.open).isZero();
    // By somebody who has no turns.
    database.add(settings, keys(3), 0, 0);
    database.delete(SPI, destination);
    first.refresh();
    assertThat(ciphers.open).isZero();
    assertThat(first.outbound()).isEmpty();
  }

  @Test
  void shouldCloseTheCiphersOfAnAssociationThatCannotBeMade() {
    HostAddress ours = Ipv4Address.parse("10.0.0.1");
    HostAddress peer = Ipv4Address.parse("10.0.0.2");
    CountedCiphers ciphers = new CountedCiphers();
    ciphers.left = 2;
    AssociationDatabase database =
        new AssociationDatabase(List.of(ours), ciphers, new UsedKeys(new byte[] {1}), 3);
    AssociationSettings settings = SecuredLink.settings(SPI, ours, peer, false, GCM);
    assertThatThrownBy(() -> database.add(settings, keys(1), 0, 0)).hasMessageContaining("memory");
    assertThat(ciphers.open).isZero();
    assertThat(database.contents().all()).isEmpty();
  }

  private static byte[] keys(int mark) {
    byte[] keys = new byte[GCM.keyOctets()];
    keys[0] = (byte) mark;
    return keys;
  }

  @Test
  @DisplayName("a tunnel to where no route leads is refused, and its keys stay new")
  void shouldRefuseATunnelWithoutRoute() {
    SecuredLink link = SecuredLink.requiring();
    byte[] keys = link.keys(GCM);
    AssociationSettings far =
        SecuredLink.settings(SPI, link.here.ipv4, Ipv4Address.parse("192.0.2.1"), true, GCM);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> link.here.security.add(far, keys, 0, link.now))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("there is no route to 192.0.2.1");
    }
    assertThat(link.here.security.associations()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "255, 10.0.0.1, 10.0.0.2",
    "4096, 10.0.0.1, 10.0.0.1",
    "4096, 10.0.0.1, 224.0.0.1",
    "4096, 10.0.0.1, 2001:db8::2"
  })
  void shouldRefuseImpossibleSettings(int spi, String from, String to) {
    HostAddress source = HostAddress.parse(from);
    HostAddress destination = HostAddress.parse(to);
    assertThatThrownBy(
            () -> AssociationSettings.usual(spi, source, destination, false, GCM, destination))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
