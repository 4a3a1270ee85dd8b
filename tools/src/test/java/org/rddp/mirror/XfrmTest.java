package org.rddp.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mirror.XfrmMessages.MULTI;
import static org.rddp.mirror.XfrmMessages.NEWSA;
import static org.rddp.mirror.XfrmMessages.UPDSA;
import static org.rddp.mirror.XfrmMessages.address;
import static org.rddp.mirror.XfrmMessages.algorithm;
import static org.rddp.mirror.XfrmMessages.association;
import static org.rddp.mirror.XfrmMessages.gcm;
import static org.rddp.mirror.XfrmMessages.with;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.client.types.SecurityAssociation;

/** Messages of NETLINK_XFRM, right, cut short and spoilt. */
@SuppressWarnings("ByteBufferBackingArray") // All are allocated here.
class XfrmTest {
  private static final int SPI = 0xc1020304;
  private static final String ONE = "10.0.0.1";
  private static final String OTHER = "10.0.0.9";
  private static final String TWO = "10.0.0.2";
  private static final byte[] KEY = key(20);

  private final Xfrm xfrm = new Xfrm(Set.of(address(ONE), address(OTHER), address("2001:db8::1")));
  private final Recorder events = new Recorder();

  /** Events as texts, and what was in the last association. */
  private static final class Recorder implements XfrmEvents {
    final List<String> said = new ArrayList<>();
    SecurityAssociation association;
    String problem;
    byte[] keys;
    KernelAssociation.Limits limits;

    @Override
    public void onAssociation(KernelAssociation each) {
      said.add("new " + each);
      limits = each.limits();
      association = each.association();
      problem = each.problem();
      keys = each.keys().octets().clone();
    }

    @Override
    public void onDeleted(KernelAssociation.Name name) {
      said.add("deleted " + name);
    }

    @Override
    public void onExpired(KernelAssociation.Name name) {
      said.add("expired " + name);
    }

    @Override
    public void onFlushed() {
      said.add("flushed");
    }

    @Override
    public void onDumped() {
      said.add("dumped");
    }

    @Override
    public void onRefused(int errno) {
      said.add("refused " + errno);
    }
  }

  private static byte[] key(int octets) {
    byte[] key = new byte[octets];
    for (int i = 0; i < octets; i++) {
      key[i] = (byte) (i + 1);
    }
    return key;
  }

  private void read(ByteBuffer... messages) {
    int octets = Arrays.stream(messages).mapToInt(ByteBuffer::capacity).sum();
    ByteBuffer all = ByteBuffer.allocate(octets).order(ByteOrder.nativeOrder());
    for (ByteBuffer each : messages) {
      all.put(each.array());
    }
    xfrm.read(all.flip(), events);
  }

  @Test
  void shouldReadAnAssociation() {
    ByteBuffer message = gcm(UPDSA, 0, SPI, TWO, ONE, KEY);
    XfrmMessages.limits(message, 1L << 40, 1L << 41, 30, 60);
    XfrmMessages.ports(message, 7471, 40000);
    read(message);
    assertThat(events.said).containsExactly("new 0xc1020304 to 10.0.0.1");
    assertThat(events.problem).isEmpty();
    assertThat(events.keys).isEqualTo(KEY);
    assertThat(events.association)
        .isEqualTo(
            new SecurityAssociation(
                SPI,
                TWO,
                ONE,
                false,
                "aes128gcm16",
                true,
                1024,
                "",
                true,
                7471,
                40000,
                1L << 40,
                1L << 41,
                30,
                60));
    assertThat(events.limits).isEqualTo(new KernelAssociation.Limits(1L << 40, 1L << 41, 0, 0));
  }

  @Test
  void shouldReadAnOutboundTunnelOfIpv6() {
    ByteBuffer message = gcm(NEWSA, MULTI, SPI, "2001:db8::1", "2001:db8::2", key(36));
    message.put(16 + 214, (byte) 1);
    message.put(16 + 42, (byte) 64);
    XfrmMessages.ports(message, 7471, 0);
    read(message);
    assertThat(events.said).containsExactly("new 0xc1020304 to 2001:db8:0:0:0:0:0:2");
    assertThat(events.association)
        .isEqualTo(
            new SecurityAssociation(
                SPI,
                "2001:db8:0:0:0:0:0:1",
                "2001:db8:0:0:0:0:0:2",
                true,
                "aes256gcm16",
                true,
                1024,
                "2001:db8:0:0:0:0:0:2/64",
                true,
                0,
                7471,
                0,
                0,
                0,
                0));
    message.put(16 + 42, (byte) 0);
    read(message);
    assertThat(events.association.remote()).as("as strongSwan makes it").isEmpty();
  }

  @Test
  @DisplayName("an association is for TCP only if the kernel says so, as strongSwan asks it to")
  void shouldReadTheProtocol() {
    ByteBuffer message = gcm(NEWSA, 0, SPI, ONE, TWO, KEY);
    read(message);
    assertThat(events.association.tcpOnly()).isTrue();
    assertThat(events.association.localPort()).isZero();
    message.put(16 + 44, (byte) 0);
    read(message);
    assertThat(events.association.tcpOnly()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "cbc(aes), 16, hmac(sha1), 20, 96, aes128-sha1",
    "cbc(aes), 32, hmac(sha1), 20, 96, aes256-sha1",
    "cbc(aes), 16, hmac(sha256), 32, 128, aes128-sha256",
    "cbc(aes), 32, hmac(sha256), 32, 128, aes256-sha256",
    "ecb(cipher_null), 0, hmac(sha1), 20, 96, null-sha1",
    "ecb(cipher_null), 0, hmac(sha256), 32, 128, null-sha256"
  })
  void shouldReadTwoAlgorithms(
      String crypt, int cryptOctets, String auth, int authOctets, int icv, String expected) {
    byte[] authKey = new byte[authOctets];
    Arrays.fill(authKey, (byte) 9);
    ByteBuffer message = association(NEWSA, 0, SPI, ONE, TWO);
    message = with(message, 20, algorithm(auth, authKey, icv));
    message = with(message, 2, algorithm(crypt, key(cryptOctets)));
    read(message);
    assertThat(events.problem).isEmpty();
    assertThat(events.association.algorithms()).isEqualTo(expected);
    assertThat(events.association.esn()).isFalse();
    assertThat(events.limits).isEqualTo(new KernelAssociation.Limits(0, 0, 0xfff0_0000L, 0));
    assertThat(events.association.window()).isEqualTo(32);
    byte[] both = Arrays.copyOf(key(cryptOctets), cryptOctets + authOctets);
    System.arraycopy(authKey, 0, both, cryptOctets, authOctets);
    assertThat(events.keys).isEqualTo(both);
  }

  @Test
  @DisplayName("what cannot be used is told with the reason")
  void shouldNameProblems() {
    ByteBuffer good = gcm(NEWSA, 0, SPI, ONE, TWO, KEY);
    expectProblem(with(good, 4, new byte[24]), "set encap = no");
    expectProblem(gcm(NEWSA, 0, SPI, ONE, TWO, new byte[20]), "locked down");
    expectProblem(gcm(NEWSA, 0, SPI, ONE, TWO, key(28)), "'rfc4106(gcm(aes)) 28 16'");
    expectProblem(
        with(association(NEWSA, 0, SPI, ONE, TWO), 18, algorithm("rfc7539esp\n", KEY, 128)),
        "'rfc7539esp? 20 16'");
    expectProblem(
        with(association(NEWSA, 0, SPI, ONE, TWO), 2, algorithm("cbc(aes)", key(16))),
        "does not have its algorithms");
    ByteBuffer cut = association(NEWSA, 0, SPI, ONE, TWO);
    cut = with(cut, 20, algorithm("hmac(sha256)", key(32), 128));
    byte[] cipher = algorithm("cbc(aes)", key(32));
    expectProblem(
        with(cut, 2, Arrays.copyOf(cipher, cipher.length - 1)), "'cbc(aes) 0 hmac(sha256) 32 16'");
    ByteBuffer udp = gcm(NEWSA, 0, SPI, ONE, TWO, KEY);
    udp.put(16 + 44, (byte) 17);
    expectProblem(udp, "for the protocol 17");
    ByteBuffer beet = gcm(NEWSA, 0, SPI, ONE, TWO, KEY);
    beet.put(16 + 214, (byte) 4);
    expectProblem(beet, "neither transport nor tunnel");
    ByteBuffer range = XfrmMessages.ports(gcm(NEWSA, 0, SPI, ONE, TWO, KEY), 1, 1);
    range.put(16 + 34, (byte) 0);
    expectProblem(range, "a range of ports");
  }

  private void expectProblem(ByteBuffer message, String expected) {
    read(message);
    assertThat(events.problem).contains(expected);
    assertThat(events.association).isNull();
  }

  @Test
  void shouldReadOtherEvents() {
    read(
        XfrmMessages.deleted(SPI, TWO),
        XfrmMessages.expired(SPI, ONE, TWO, false),
        XfrmMessages.expired(SPI, ONE, TWO, true),
        XfrmMessages.flushed(),
        XfrmMessages.error(0),
        XfrmMessages.error(3),
        XfrmMessages.dumped(),
        association(NEWSA, 0, SPI, ONE, TWO),
        gcm(NEWSA, 0, SPI, "10.0.0.3", TWO, KEY),
        gcm(NEWSA, 0, SPI, ONE, OTHER, KEY));
    assertThat(events.said)
        .containsExactly(
            "deleted 0xc1020304 to 10.0.0.2",
            "expired 0xc1020304 to 10.0.0.2",
            "flushed",
            "refused 3",
            "dumped");
  }

  @Test
  void shouldMakeRequests() {
    byte[] expire = Xfrm.expire(new KernelAssociation.Name(SPI, address("2001:db8::2")), true);
    assertThat(expire).hasSize(16 + 232);
    xfrm.read(ByteBuffer.wrap(expire).order(ByteOrder.nativeOrder()), events);
    xfrm.read(
        ByteBuffer.wrap(Xfrm.expire(new KernelAssociation.Name(SPI, address(TWO)), true))
            .order(ByteOrder.nativeOrder()),
        events);
    assertThat(events.said)
        .containsExactly(
            "expired 0xc1020304 to 2001:db8:0:0:0:0:0:2", "expired 0xc1020304 to 10.0.0.2");
    if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
      assertThat(HexFormat.of().formatHex(Xfrm.dump()))
          .isEqualTo("10000000120001030000000000000000");
    }
  }

  @Test
  @DisplayName("of a message that is cut short, nothing or a problem is told, never a wrong key")
  void shouldSurviveCutMessages() {
    ByteBuffer whole = with(gcm(NEWSA, 0, SPI, ONE, TWO, KEY), 33, new byte[1]);
    for (int octets = 0; octets < whole.capacity(); octets++) {
      ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(whole.array(), octets));
      xfrm.read(cut.order(ByteOrder.nativeOrder()), events);
      assertThat(events.said).as("a length beyond the packet").isEmpty();
    }
    for (int octets = 16; octets < whole.capacity(); octets++) {
      ByteBuffer cut =
          ByteBuffer.wrap(Arrays.copyOf(whole.array(), octets)).order(ByteOrder.nativeOrder());
      cut.putInt(0, octets);
      events.keys = new byte[0];
      events.problem = "";
      xfrm.read(cut, events);
      if (events.problem.isEmpty()) {
        assertThat(events.keys).isIn(new byte[0], KEY);
      }
    }
  }

  @Test
  void shouldSurviveSpoiltMessages() {
    SplittableRandom random = new SplittableRandom(1);
    List<ByteBuffer> messages =
        List.of(
            gcm(NEWSA, 0, SPI, ONE, TWO, KEY),
            XfrmMessages.deleted(SPI, TWO),
            XfrmMessages.expired(SPI, ONE, TWO, true),
            XfrmMessages.error(3));
    for (int round = 0; round < 200_000; round++) {
      byte[] spoilt = messages.get(round % messages.size()).array().clone();
      for (int i = random.nextInt(1, 5); i > 0; i--) {
        spoilt[random.nextInt(spoilt.length)] = (byte) random.nextInt();
      }
      xfrm.read(ByteBuffer.wrap(spoilt).order(ByteOrder.nativeOrder()), events);
      events.said.clear();
    }
    assertThat(events.keys.length).isLessThanOrEqualTo(128);
  }
}
