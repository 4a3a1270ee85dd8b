package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ip.esp.EspSuite;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Udp;

/** IKE's datagrams between an interface with a security policy and a daemon of IKE. */
class KeyExchangeTest {
  private final SecuredLink link = SecuredLink.requiring();
  private final Recorder here = new Recorder();
  private final Recorder there = new Recorder();

  KeyExchangeTest() {
    link.here.security.begin(here);
    link.there.security.begin(there);
  }

  /** What a key exchange was told. */
  private static final class Recorder implements KeyExchange {
    final List<byte[]> datagrams = new ArrayList<>();
    final List<HostAddress> senders = new ArrayList<>();
    final List<String> needs = new ArrayList<>();

    @Override
    public void onDatagram(HostAddress local, HostAddress remote, byte[] datagram) {
      datagrams.add(datagram);
      senders.add(remote);
    }

    @Override
    public void onNeed(HostAddress local, int localPort, HostAddress remote, int remotePort) {
      needs.add(local.withPort(localPort) + " > " + remote.withPort(remotePort));
    }
  }

  /** A datagram whose payload begins with four octets, and has further ones. */
  private static byte[] datagram(int from, int to, int first, int octets) {
    return ByteBuffer.allocate(octets)
        .putShort((short) from)
        .putShort((short) to)
        .putShort((short) octets)
        .putShort((short) 0)
        .putInt(first)
        .array();
  }

  private void send(boolean ipv6, byte[] datagram) {
    link.here.security.send(link.here.address(ipv6), link.there.address(ipv6), datagram, link.now);
    link.settle();
  }

  /** The frame of a datagram that the first host would not send. */
  private byte[] frame(boolean ipv6, byte[] datagram) {
    send(ipv6, datagram(500, 500, 1, datagram.length));
    byte[] frame = link.packets().getLast();
    System.arraycopy(
        datagram, 0, frame, Ethernet.HEADER + SecuredLink.header(frame), datagram.length);
    there.datagrams.clear();
    link.frames.clear();
    return frame;
  }

  @ParameterizedTest
  @CsvSource({
    "false, 500, 500, 7, 36",
    "true, 500, 500, 7, 36",
    "false, 4500, 4500, 0, 40",
    "true, 4500, 4500, 0, 1400",
    "false, 500, 4500, 0, 1480"
  })
  @DisplayName("RFC 4301 section 4.4.1: IKE passes in clear where the policy requires ESP")
  void shouldPassIke(boolean ipv6, int from, int to, int first, int octets) {
    byte[] datagram = datagram(from, to, first, octets);
    send(ipv6, datagram);
    assertThat(there.datagrams).hasSize(1);
    assertThat(there.datagrams.getFirst()).isEqualTo(datagram);
    assertThat(there.senders).containsExactly(link.here.address(ipv6));
    assertThat(SecuredLink.protocol(link.packets().getFirst())).isEqualTo(Udp.PROTOCOL);
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @CsvSource({
    "false, 4500, 1, 60, 60",
    "true, 4500, 1, 60, 60",
    "false, 4500, 0, 39, 39",
    "false, 501, 0, 60, 60",
    "true, 501, 0, 60, 60",
    "false, 500, 0, 60, 59",
    "true, 500, 0, 60, 61"
  })
  @DisplayName("other UDP, ESP in UDP among it, is dropped and counted, and not answered")
  void shouldDropOthers(boolean ipv6, int to, int first, int octets, int claimed) {
    byte[] datagram = datagram(500, to, first, octets);
    datagram[5] = (byte) claimed;
    link.inject(frame(ipv6, datagram));
    assertThat(there.datagrams).isEmpty();
    assertThat(link.there.counters().clear).isEqualTo(1);
    assertThat(link.packets()).as("answers").isEmpty();
    link.expectEveryPacketBack();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("without a daemon of IKE its datagrams are dropped and not answered")
  void shouldDropIkeThatNobodyWants(boolean ipv6) {
    link.there.security.end(new Recorder());
    send(ipv6, datagram(500, 500, 1, 60));
    assertThat(there.datagrams).as("another has ended").hasSize(1);
    link.there.security.end(there);
    send(ipv6, datagram(500, 500, 1, 60));
    assertThat(there.datagrams).hasSize(1);
    assertThat(link.there.counters().clear).isEqualTo(1);
    assertThat(link.packets()).hasSize(2);
    link.expectEveryPacketBack();
  }

  @Test
  @DisplayName("answers of IKE to hosts that are not there cut no other host off")
  void shouldForgetHostsThatAreNotThere() {
    for (int i = 0; i < 2000; i++) {
      HostAddress nobody = Ipv6Address.parse("2001:db8::1:" + Integer.toHexString(i));
      link.here.security.send(link.here.ipv6, nobody, datagram(500, 500, 1, 60), link.now);
      link.settle();
    }
    assertThat(link.here.ip.counters().unresolved).isEqualTo(2000 - 64);
    link.associate(true, false, EspSuite.AES128_GCM16);
    link.here.send(link.there.ipv6, 100);
    assertThat(link.there.heard).hasSize(1);
    // What still waits is dropped in the end.
    for (int i = 0; i < 4; i++) {
      link.pass(1_000_000_000L);
    }
    link.expectEveryPacketBack();
  }

  @Test
  void shouldRefuseWhatIsNotIke() {
    for (byte[] each :
        List.of(
            datagram(501, 500, 0, 60),
            datagram(4500, 4500, 1, 60),
            datagram(500, 500, 0, 35),
            new byte[0],
            new byte[7])) {
      assertThatThrownBy(() -> send(false, each))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not a datagram of IKE");
    }
    assertThatThrownBy(() -> send(false, datagram(500, 500, 0, 1481)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RFC 7383");
    byte[] right = datagram(500, 500, 0, 60);
    assertThatThrownBy(() ->
            link.here.security.send(
                link.there.address(false), link.there.address(false), right, link.now))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not from");
    assertThatThrownBy(() ->
            link.here.security.send(
                link.here.address(false), Ipv4Address.parse("192.0.2.1"), right, link.now))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no route");
    assertThat(link.packets()).isEmpty();
    link.expectEveryPacketBack();
  }

  @Test
  void shouldLetOneProgramOnlyPassItOn() {
    assertThatThrownBy(() -> link.here.security.begin(there))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another program");
    link.here.security.end(here);
    link.here.security.begin(there);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a packet without an association is reported, not more often than each 10 ms")
  void shouldReportWhatIsNeeded(boolean ipv6) {
    for (int i = 0; i < 3; i++) {
      link.here.send(link.there.address(ipv6), 100);
    }
    assertThat(here.needs).hasSize(1);
    link.pass(10_000_000);
    link.here.send(link.there.address(ipv6), 100);
    String expected =
        link.here.address(ipv6).withPort(SecuredLink.OTHER_PORT)
            + " > "
            + link.there.address(ipv6).withPort(SecuredLink.PORT);
    assertThat(here.needs).containsExactly(expected, expected);
    link.associate(ipv6, false, EspSuite.AES128_GCM16);
    link.pass(10_000_000);
    link.here.send(link.there.address(ipv6), 100);
    assertThat(here.needs).hasSize(2);
    assertThat(link.there.heard).hasSize(1);
  }
}
