package org.rddp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IPv6, ICMPv6, Neighbour Discovery and MLDv2 against frames that Linux has sent. */
class Ipv6HeadersTest {
  private static final String SYN =
      "02000000000102000000000286dd6003859f0028064020010db800000000000000000000000220010db8000000"
          + "000000000000000001891800077cb3d17100000000a002fd20d24b0000020405a00402080a9008b5e20000"
          + "00000103030a";
  private static final String SOLICITATION =
      "3333ff00000102000000000286dd6000000000203aff20010db8000000000000000000000002ff020000000000"
          + "00000000"
          + "01ff00000187001c270000000020010db80000000000000000000000010101020000000002";
  private static final String ADVERTISEMENT =
      "02000000000202000000000186dd6000000000203aff20010db800000000000000000000000120010db8000000"
          + "00000000000000000288008a736000000020010db80000000000000000000000010201020000000001";
  private static final String ROUTER_SOLICITATION =
      "33330000000202000000000186dd6000000000103afffe80000000000000000000fffe000001ff020000000000"
          + "00000000000000000285007b2c000000000101020000000001";
  private static final String REPORT =
      "33330000001602000000000286dd6000000000240001fe80000000000000000000fffe000002ff020000000000"
          + "0000000000000000163a000502000001008f0072050000000104000000ff0200000000000000000001ff00"
          + "0002";
  private static final long PREFIX = 0x2001_0db8_0000_0000L;
  private static final long GROUPS = 0xff02L << 48;

  private final long memory = Memory.allocate(4096);
  private final long ip = memory + Ethernet.HEADER;
  private final long message = ip + Ipv6.HEADER;

  private int put(String hex) {
    byte[] octets = HexFormat.of().parseHex(hex);
    Memory.copy(octets, 0, memory, octets.length);
    assertThat(Ethernet.type(memory)).isEqualTo(Ethernet.TYPE_IPV6);
    assertThat(Ipv6.wellFormed(ip, octets.length - Ethernet.HEADER)).isTrue();
    return octets.length - Ethernet.HEADER - Ipv6.HEADER;
  }

  private byte[] written() {
    return Memory.bytes(memory, Ethernet.HEADER + Ipv6.HEADER + Ipv6.payloadLength(ip));
  }

  /** Writes the headers of a message from fe80::ff:fe00:n or 2001:db8::n. */
  private void write(long destination, long source, int payload, int next, int hops, int label) {
    Ethernet.write(memory, destination, source, Ethernet.TYPE_IPV6);
    Memory.putInt(ip + 4, payload << 16 | next << 8 | hops);
    Memory.putInt(ip, 6 << 28 | label);
  }

  @Test
  void shouldReadEveryFieldOfASyn() {
    int length = put(SYN);
    assertThat(length).isEqualTo(40).isEqualTo(Ipv6.payloadLength(ip));
    assertThat(Ipv6.nextHeader(ip)).isEqualTo(Ipv4.PROTOCOL_TCP);
    assertThat(Ipv6.hopLimit(ip)).isEqualTo(64);
    assertThat(Ipv6.ecn(ip)).isZero();
    assertThat(Ipv6.flowLabel(ip)).isEqualTo(0x3859f);
    assertThat(Ipv6.sourceHigh(ip)).isEqualTo(PREFIX);
    assertThat(Ipv6.sourceLow(ip)).isEqualTo(2);
    assertThat(Ipv6.destinationHigh(ip)).isEqualTo(PREFIX);
    assertThat(Ipv6.destinationLow(ip)).isEqualTo(1);
    long tcp = ip + Ipv6.HEADER;
    assertThat(Tcp.destinationPort(tcp)).isEqualTo(7);
    long pseudoHeader = Checksum.pseudoHeader(PREFIX, 2, PREFIX, 1, Ipv4.PROTOCOL_TCP, length);
    assertThat(Tcp.intact(tcp, length, pseudoHeader)).isTrue();
    assertThat(Tcp.intact(tcp, length, pseudoHeader + 1)).isFalse();
    TcpOptions options = new TcpOptions();
    assertThat(options.parse(tcp, Tcp.headerLength(tcp))).isTrue();
    assertThat(options.mss()).isEqualTo(1440);
  }

  @Test
  void shouldWriteWhatItReads() {
    put(SYN);
    byte[] before = written();
    Memory.fill(ip, Ipv6.HEADER, 0xff);
    Ipv6.write(ip, 40, Ipv4.PROTOCOL_TCP, 64, 0, 0x3859f, PREFIX, 2, PREFIX, 1);
    assertThat(written()).isEqualTo(before);
    Ipv6.write(ip, 40, Ipv4.PROTOCOL_TCP, 64, Ipv4.CE, -1, PREFIX, 2, PREFIX, 1);
    assertThat(Ipv6.ecn(ip)).isEqualTo(Ipv4.CE);
    assertThat(Ipv6.flowLabel(ip)).isEqualTo(0xfffff);
    assertThat(Ipv6.wellFormed(ip, 80)).isTrue();
  }

  @Test
  void shouldRefuseWhatIsCutShortOrNotVersionSix() {
    put(SYN);
    assertThat(Ipv6.wellFormed(ip, 79)).isFalse();
    assertThat(Ipv6.wellFormed(ip, 39)).isFalse();
    assertThat(Ipv6.wellFormed(ip, 81)).as("padding").isTrue();
    Memory.putByte(ip, 0x45);
    assertThat(Ipv6.wellFormed(ip, 80)).isFalse();
  }

  @Test
  @DisplayName("RFC 4861 4.3: a neighbour solicitation")
  void shouldReadAndWriteASolicitation() {
    int length = put(SOLICITATION);
    assertThat(Ethernet.destination(memory)).isEqualTo(Ethernet.ipv6Group(0x1_ff00_0001L));
    long sum = Icmpv6.pseudoHeader(ip, length);
    assertThat(Icmpv6.wellFormed(message, length, sum)).isTrue();
    assertThat(Icmpv6.wellFormed(message, length, sum + 1)).isFalse();
    assertThat(Icmpv6.type(message)).isEqualTo(Icmpv6.NEIGHBOUR_SOLICITATION);
    assertThat(Icmpv6.error(message)).isFalse();
    assertThat(Ndp.wellFormed(message, length, Ndp.NEIGHBOUR)).isTrue();
    assertThat(Ndp.targetHigh(message)).isEqualTo(PREFIX);
    assertThat(Ndp.targetLow(message)).isEqualTo(1);
    assertThat(Ndp.linkLayer(message, length, Ndp.NEIGHBOUR, Ndp.SOURCE_LINK_LAYER))
        .isEqualTo(0x020000000002L);
    assertThat(Ndp.linkLayer(message, length, Ndp.NEIGHBOUR, Ndp.TARGET_LINK_LAYER)).isEqualTo(-1);
    byte[] before = written();
    Memory.fill(message, length, 0xff);
    int octets =
        Ndp.writeNeighbour(
            message,
            Icmpv6.NEIGHBOUR_SOLICITATION,
            0,
            PREFIX,
            1,
            Ndp.SOURCE_LINK_LAYER,
            0x020000000002L);
    Icmpv6.complete(message, octets, sum);
    assertThat(octets).isEqualTo(length);
    assertThat(written()).isEqualTo(before);
  }

  @Test
  @DisplayName("RFC 4861 4.4: a neighbour advertisement")
  void shouldReadAndWriteAnAdvertisement() {
    int length = put(ADVERTISEMENT);
    assertThat(Ndp.flags(message)).isEqualTo(Ndp.SOLICITED | Ndp.OVERRIDE);
    assertThat(Ndp.linkLayer(message, length, Ndp.NEIGHBOUR, Ndp.TARGET_LINK_LAYER))
        .isEqualTo(0x020000000001L);
    byte[] before = written();
    Memory.fill(message, length, 0xff);
    int octets =
        Ndp.writeNeighbour(
            message,
            Icmpv6.NEIGHBOUR_ADVERTISEMENT,
            Ndp.SOLICITED | Ndp.OVERRIDE,
            PREFIX,
            1,
            Ndp.TARGET_LINK_LAYER,
            0x020000000001L);
    Icmpv6.complete(message, octets, Icmpv6.pseudoHeader(ip, octets));
    assertThat(written()).isEqualTo(before);
  }

  @Test
  @DisplayName("RFC 4861 4.1: a router solicitation")
  void shouldWriteARouterSolicitation() {
    int length = put(ROUTER_SOLICITATION);
    byte[] before = written();
    Memory.fill(message, length, 0xff);
    int octets = Ndp.writeRouterSolicitation(message, 0x020000000001L);
    Icmpv6.complete(message, octets, Icmpv6.pseudoHeader(ip, octets));
    assertThat(octets).isEqualTo(length);
    assertThat(written()).isEqualTo(before);
  }

  @Test
  @DisplayName("RFC 3810 5.2: a report, with a router alert in front")
  void shouldWriteAReport() {
    int length = put(REPORT);
    byte[] before = written();
    Memory.fill(message, length, 0xff);
    Mldv2.putRouterAlert(message);
    long report = message + Mldv2.ROUTER_ALERT_LENGTH;
    Mldv2.write(report, 1);
    Mldv2.putRecord(report, 0, Mldv2.TO_EXCLUDE, GROUPS, 0x1_ff00_0002L);
    assertThat(Mldv2.length(1)).isEqualTo(length - Mldv2.ROUTER_ALERT_LENGTH);
    Icmpv6.complete(report, Mldv2.length(1), Icmpv6.pseudoHeader(ip, Mldv2.length(1)));
    assertThat(written()).isEqualTo(before);
    assertThat(Mldv2.records(report)).isEqualTo(1);
    assertThat(Mldv2.recordType(report, 0)).isEqualTo(Mldv2.TO_EXCLUDE);
    assertThat(Mldv2.recordLow(report, 0)).isEqualTo(0x1_ff00_0002L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"00", "05", "ff"})
  @DisplayName("RFC 4861 7.1: an option of length 0, or beyond the end, makes a message invalid")
  void shouldRefuseOptionsOfAWrongLength(String octet) {
    int length = put(SOLICITATION);
    Memory.putByte(message + Ndp.NEIGHBOUR + 1, HexFormat.fromHexDigits(octet));
    assertThat(Ndp.wellFormed(message, length, Ndp.NEIGHBOUR)).isFalse();
    assertThat(Ndp.wellFormed(message, length - 1, Ndp.NEIGHBOUR)).isFalse();
    assertThat(Ndp.wellFormed(message, Ndp.NEIGHBOUR - 1, Ndp.NEIGHBOUR)).isFalse();
    assertThat(Ndp.wellFormed(message, Ndp.NEIGHBOUR, Ndp.NEIGHBOUR)).isTrue();
  }

  @Test
  void shouldReplyToAnEcho() {
    write(1, 2, 16, Ipv6.ICMPV6, 64, 0);
    Ipv6.write(ip, 16, Ipv6.ICMPV6, 64, 0, 0, PREFIX, 2, PREFIX, 1);
    Icmpv6.write(message, Icmpv6.ECHO, 0, 0x1234_0001);
    Memory.putLong(message + 8, 0x0102030405060708L);
    Icmpv6.complete(message, 16, Icmpv6.pseudoHeader(ip, 16));
    Icmpv6.reply(message);
    Ipv6.write(ip, 16, Ipv6.ICMPV6, 64, 0, 0, PREFIX, 1, PREFIX, 2);
    assertThat(Icmpv6.type(message)).isEqualTo(Icmpv6.ECHO_REPLY);
    assertThat(Icmpv6.wellFormed(message, 16, Icmpv6.pseudoHeader(ip, 16))).isTrue();
  }
}
