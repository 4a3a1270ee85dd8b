package org.rddp.simulation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.tcp.TcpSettings;
import org.rddp.wire.Esp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/** The simulation notices what must never happen in ESP. */
class SecuredHostsTest {
  private static final EspSuite SUITE = EspSuite.AES128_GCM16;
  private static final int MTU = 1500;
  private static final int LENGTH = 20;

  /** Header, initialization vector, payload, padding, trailer and ICV. */
  private static final int SEALED = 8 + 8 + LENGTH + 2 + 2 + 16;

  private final Violations violations = new Violations();
  private final Network network = new Network(3);
  private final long frame = Memory.allocate(FrameStore.LONGEST);
  private final long payload = Memory.allocate(64);
  private final long sealed = Memory.allocate(256);
  private final byte[] keys = "twenty octets of keys".substring(1).getBytes(US_ASCII);
  private final WatchedCiphers ciphers = new WatchedCiphers(network, violations, frame);

  private EspCipher cipher() {
    HostAddress from = HostAddress.parse("10.0.0.1");
    HostAddress to = HostAddress.parse("10.0.0.2");
    ciphers.expect(AssociationSettings.usual(256, from, to, false, SUITE, to), keys, 1, 2);
    return ciphers.cipher(SUITE, true, keys);
  }

  private void seal(EspCipher cipher, long number) {
    cipher.seal(payload, LENGTH, Ipv4.PROTOCOL_TCP, 256, number, sealed);
  }

  @Test
  @DisplayName("RFC 4303 3.3.3: a number that is used twice with the same keys")
  void shouldNoticeANumberThatIsUsedTwice() {
    EspCipher cipher = cipher();
    seal(cipher, 1);
    seal(cipher, 2);
    assertThat(violations.isEmpty()).isTrue();
    seal(ciphers.cipher(SUITE, true, keys), 2);
    assertThat(violations.first()).isEqualTo("number 2 is used twice with the same keys");
  }

  @Test
  @DisplayName("RFC 4303 3.4.3: a packet that is accepted twice, or was never sealed")
  void shouldNoticeAPacketThatIsAcceptedTwice() {
    EspCipher cipher = cipher();
    seal(cipher, 1);
    byte[] packet = Memory.bytes(sealed, SEALED);
    assertThat(cipher.open(sealed, SEALED, 1)).isPositive();
    assertThat(violations.isEmpty()).isTrue();
    Memory.copy(packet, 0, sealed, SEALED);
    assertThat(cipher.open(sealed, SEALED, 1)).isPositive();
    assertThat(violations.first()).isEqualTo("the packet with number 1 is accepted twice");
  }

  @Test
  void shouldNoticeKeysThatWereGivenUp() {
    EspCipher cipher = cipher();
    cipher.close();
    seal(cipher, 1);
    assertThat(violations.first()).isEqualTo("a packet is sealed with keys that were given up");
    assertThatThrownBy(() -> ciphers.cipher(SUITE, true, new byte[SUITE.keyOctets()]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private SimulatedHost host(String address, HostSecurity security) {
    return new SimulatedHost(
        network,
        Ipv4Address.parse(address),
        TcpSettings.DEFAULTS,
        new NativePacketPool(64, 2048),
        MTU,
        LongFrames.NONE,
        1,
        Families.IPV4,
        security);
  }

  @Test
  void shouldNoticeAFrameInClear() {
    SecuredHosts secured = new SecuredHosts(1, network, violations, frame);
    SimulatedHost one = host("10.0.0.1", secured.ofHost());
    SimulatedHost two = host("10.0.0.2", secured.ofHost());
    secured.begin(one, two);
    long mac = one.card().macAddress();
    report(mac, Ethernet.TYPE_ARP, 0);
    report(mac, Ethernet.TYPE_IPV4, Esp.PROTOCOL);
    report(mac + 100, Ethernet.TYPE_IPV4, Ipv4.PROTOCOL_TCP);
    assertThat(violations.first()).isNull();
    report(mac, Ethernet.TYPE_IPV4, Ipv4.PROTOCOL_TCP);
    assertThat(violations.first()).isEqualTo("a frame leaves in clear");
  }

  private void report(long sender, int type, int protocol) {
    Ethernet.write(frame, 2, sender, type);
    Ipv4.write(frame + Ethernet.HEADER, Ipv4.HEADER + LENGTH, protocol, 1, 2);
    network.report(NetworkEvent.SENT, frame, Ethernet.HEADER + Ipv4.HEADER + LENGTH, 0);
  }
}
