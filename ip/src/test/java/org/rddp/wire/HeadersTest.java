package org.rddp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers of Ethernet, ARP, IPv4, ICMP and TCP against octets from real networks. */
class HeadersTest {
  private static final String SYN =
      "525400e6d2d65254008fd1d708004500003cbacb400040066b520a4d00030a4d000280751c06989887e200000000"
          + "a002faf0ccc00000020405b40402080a3b6873530000000001030305";
  private static final String ARP_REQUEST =
      "ffffffffffff5254008fd1d70806" + "00010800060400015254008fd1d70a4d00030000000000000a4d0002";

  private final long memory = Memory.allocate(65536);
  private final TcpOptions options = new TcpOptions();

  private int put(String hex) {
    return put(HexFormat.of().parseHex(hex));
  }

  private int put(byte[] octets) {
    Memory.copy(octets, 0, memory, octets.length);
    return octets.length;
  }

  @Test
  void shouldReadEveryFieldOfASyn() {
    int length = put(SYN);
    assertThat(Ethernet.wellFormed(length)).isTrue();
    assertThat(Ethernet.destination(memory)).isEqualTo(0x525400e6d2d6L);
    assertThat(Ethernet.source(memory)).isEqualTo(0x5254008fd1d7L);
    assertThat(Ethernet.type(memory)).isEqualTo(Ethernet.TYPE_IPV4);
    long ip = memory + Ethernet.HEADER;
    assertThat(Ipv4.wellFormed(ip, length - Ethernet.HEADER)).isTrue();
    assertThat(Ipv4.intact(ip)).isTrue();
    assertThat(Ipv4.fragment(ip)).isFalse();
    assertThat(Ipv4.dontFragment(ip)).isTrue();
    assertThat(Ipv4.protocol(ip)).isEqualTo(Ipv4.PROTOCOL_TCP);
    assertThat(Ipv4.source(ip)).isEqualTo(0x0a4d0003);
    assertThat(Ipv4.destination(ip)).isEqualTo(0x0a4d0002);
    assertThat(Ipv4.totalLength(ip)).isEqualTo(60);
    long tcp = ip + Ipv4.headerLength(ip);
    assertThat(Tcp.wellFormed(tcp, 40)).isTrue();
    assertThat(Tcp.intact(tcp, 40, 0x0a4d0003, 0x0a4d0002)).isTrue();
    assertThat(Tcp.sourcePort(tcp)).isEqualTo(32885);
    assertThat(Tcp.destinationPort(tcp)).isEqualTo(7174);
    assertThat(Integer.toUnsignedLong(Tcp.sequence(tcp))).isEqualTo(2560133090L);
    assertThat(Tcp.acknowledgment(tcp)).isZero();
    assertThat(Tcp.flags(tcp)).isEqualTo(Tcp.SYN);
    assertThat(Tcp.window(tcp)).isEqualTo(64240);
    assertThat(options.parse(tcp, Tcp.headerLength(tcp))).isTrue();
    assertThat(options.mss()).isEqualTo(1460);
    assertThat(options.windowScale()).isEqualTo(5);
    assertThat(options.timestamps()).isTrue();
    assertThat(options.timestampValue()).isEqualTo(996701011);
    assertThat(options.timestampEcho()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"m-p2p-crc.pcap", "rping-crc.pcap", "ib_send_lat-crc.pcap"})
  void shouldFindEveryFrameOfACaptureSoundAndWriteItsHeadersAgain(String name) throws IOException {
    int segments = 0;
    for (byte[] frame : Capture.frames(name)) {
      int length = put(frame);
      if (Ethernet.type(memory) != Ethernet.TYPE_IPV4) {
        continue;
      }
      long ip = memory + Ethernet.HEADER;
      assertThat(Ipv4.wellFormed(ip, length - Ethernet.HEADER)).isTrue();
      assertThat(Ipv4.intact(ip)).isTrue();
      long tcp = ip + Ipv4.headerLength(ip);
      int octets = Ipv4.totalLength(ip) - Ipv4.headerLength(ip);
      assertThat(Tcp.wellFormed(tcp, octets)).isTrue();
      assertThat(Tcp.intact(tcp, octets, Ipv4.source(ip), Ipv4.destination(ip))).isTrue();
      assertThat(options.parse(tcp, Tcp.headerLength(tcp))).isTrue();
      rewrite(tcp, octets, Ipv4.source(ip), Ipv4.destination(ip));
      assertThat(Memory.bytes(memory, length)).isEqualTo(frame);
      segments++;
    }
    assertThat(segments).isGreaterThan(20);
  }

  /** Writes the same header over a segment's, so that nothing changes. */
  private void rewrite(long tcp, int octets, int source, int destination) {
    int header = Tcp.headerLength(tcp);
    int checksum = Memory.getShort(tcp + 16);
    long sum =
        Tcp.write(
            tcp,
            Tcp.sourcePort(tcp),
            Tcp.destinationPort(tcp),
            Tcp.sequence(tcp),
            Tcp.acknowledgment(tcp),
            header,
            Tcp.flags(tcp),
            Tcp.window(tcp));
    if (header == Tcp.HEADER + TcpOptions.TIMESTAMPS_LENGTH) {
      int value = options.timestampValue();
      sum += TcpOptions.putTimestamps(tcp + Tcp.HEADER, value, options.timestampEcho());
    } else {
      sum += Checksum.sum(tcp + Tcp.HEADER, header - Tcp.HEADER);
    }
    sum += Checksum.sum(tcp + header, octets - header);
    Tcp.putChecksum(
        tcp, sum + Checksum.pseudoHeader(source, destination, Ipv4.PROTOCOL_TCP, octets));
    assertThat(Memory.getShort(tcp + 16)).isEqualTo(checksum);
  }

  @Test
  void shouldNoticeEveryBitThatIsTurned() {
    byte[] syn = HexFormat.of().parseHex(SYN);
    for (int bit = Ethernet.HEADER * 8; bit < syn.length * 8; bit++) {
      byte[] turned = syn.clone();
      turned[bit / 8] ^= (byte) (1 << (bit % 8));
      put(turned);
      long ip = memory + Ethernet.HEADER;
      boolean sound =
          Ipv4.wellFormed(ip, syn.length - Ethernet.HEADER)
              && Ipv4.intact(ip)
              && Tcp.intact(ip + Ipv4.HEADER, 40, Ipv4.source(ip), Ipv4.destination(ip));
      assertThat(sound).as("bit %d", bit).isFalse();
    }
  }

  @Test
  void shouldRefuseLengthsThatPointOutsideOfTheFrame() {
    put(SYN);
    long ip = memory + Ethernet.HEADER;
    assertThat(Ethernet.wellFormed(13)).isFalse();
    assertThat(Ipv4.wellFormed(ip, 19)).isFalse();
    assertThat(Ipv4.wellFormed(ip, 59)).isFalse();
    assertThat(Ipv4.wellFormed(ip, 60)).isTrue();
    assertThat(Ipv4.wellFormed(ip, 1000)).as("padded").isTrue();
    Memory.putByte(ip, 0x44);
    assertThat(Ipv4.wellFormed(ip, 60)).as("header of 16").isFalse();
    Memory.putByte(ip, 0x65);
    assertThat(Ipv4.wellFormed(ip, 60)).as("version 6").isFalse();
    Memory.putByte(ip, 0x4f);
    Memory.putShort(ip + 2, 59);
    assertThat(Ipv4.wellFormed(ip, 60)).as("header longer than the packet").isFalse();
    long tcp = ip + Ipv4.HEADER;
    assertThat(Tcp.wellFormed(tcp, 19)).isFalse();
    assertThat(Tcp.wellFormed(tcp, 39)).isFalse();
    Memory.putByte(tcp + 12, 0x40);
    assertThat(Tcp.wellFormed(tcp, 40)).as("offset of 4").isFalse();
  }

  private boolean parses(String hex) {
    byte[] octets = HexFormat.of().parseHex(hex);
    Memory.copy(octets, 0, memory + Tcp.HEADER, octets.length);
    return options.parse(memory, Tcp.HEADER + octets.length);
  }

  @Test
  void shouldSkipUnknownOptionsAndStopAtTheEnd() {
    assertThat(parses("fd06aabbccdd020405b400ffffff")).isTrue();
    assertThat(options.mss()).isEqualTo(1460);
    assertThat(options.windowScale()).isEqualTo(-1);
    assertThat(options.timestamps()).isFalse();
    assertThat(parses("01010101")).isTrue();
    assertThat(options.mss()).isZero();
  }

  @Test
  void shouldTakeTimestampsWhereverTheyStand() {
    assertThat(parses("080a0000000100000002" + "0101")).isTrue();
    assertThat(options.timestampValue()).isEqualTo(1);
    assertThat(options.timestampEcho()).isEqualTo(2);
    assertThat(parses("0101080a0000000300000004")).isTrue();
    assertThat(options.timestampValue()).isEqualTo(3);
  }

  @Test
  void shouldLimitTheWindowScaleToFourteen() {
    assertThat(parses("0303ff00")).isTrue();
    assertThat(options.windowScale()).isEqualTo(14);
  }

  @Test
  @DisplayName("RFC 2018 2: SACK-permitted is two octets")
  void shouldTakeSackPermitted() {
    assertThat(parses("04020101")).isTrue();
    assertThat(options.sackPermitted()).isTrue();
    assertThat(parses("01010101")).isTrue();
    assertThat(options.sackPermitted()).isFalse();
    long sum = TcpOptions.putSackPermitted(memory + Tcp.HEADER);
    assertThat(Memory.bytes(memory + Tcp.HEADER, 4)).containsExactly(1, 1, 4, 2);
    assertThat(sum).isEqualTo(0x01010402L);
  }

  @Test
  @DisplayName("RFC 2018 3: one to four SACK blocks, left and right edge each")
  void shouldReadTheSackBlocksThatItWrites() {
    for (int blocks = 1; blocks <= TcpOptions.MOST_SACK_BLOCKS; blocks++) {
      long at = memory + Tcp.HEADER;
      long sum = TcpOptions.putSack(at, blocks);
      at += TcpOptions.SACK_LENGTH;
      for (int i = 0; i < blocks; i++) {
        sum += TcpOptions.putSackBlock(at, 0xfffffff0 + i, 0x10 + i);
        at += TcpOptions.SACK_BLOCK_LENGTH;
      }
      int length = (int) (at - memory);
      assertThat(Checksum.field(sum))
          .isEqualTo(Checksum.field(Checksum.sum(memory + Tcp.HEADER, length - Tcp.HEADER)));
      assertThat(options.parse(memory, length)).isTrue();
      assertThat(options.sackBlocks()).isEqualTo(blocks);
      for (int i = 0; i < blocks; i++) {
        assertThat(options.sackLeft(i)).isEqualTo(0xfffffff0 + i);
        assertThat(options.sackRight(i)).isEqualTo(0x10 + i);
      }
    }
    assertThat(parses("01010101")).isTrue();
    assertThat(options.sackBlocks()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "02000000",
        "02010000",
        "0203aa00",
        "02050000",
        "01010102",
        "01010204",
        "0304aa00",
        "08090000",
        "0403aa00",
        "05020000",
        "05060000000100000000",
        "050b0000000100000002aa00",
        "0512000000010000000200000003000000",
        "fd09aaaa",
        "fd00aaaa",
        "010101fd"
      })
  void shouldRefuseOptionsOfImpossibleLength(String hex) {
    assertThat(parses(hex)).isFalse();
  }

  @Test
  void shouldReadAndWriteArp() {
    int length = put(ARP_REQUEST);
    long arp = memory + Ethernet.HEADER;
    assertThat(Ethernet.destination(memory)).isEqualTo(Ethernet.BROADCAST);
    assertThat(Arp.wellFormed(arp, length - Ethernet.HEADER)).isTrue();
    assertThat(Arp.wellFormed(arp, Arp.LENGTH - 1)).isFalse();
    assertThat(Arp.operation(arp)).isEqualTo(Arp.REQUEST);
    assertThat(Arp.senderMac(arp)).isEqualTo(0x5254008fd1d7L);
    assertThat(Arp.senderIp(arp)).isEqualTo(0x0a4d0003);
    assertThat(Arp.targetMac(arp)).isZero();
    assertThat(Arp.targetIp(arp)).isEqualTo(0x0a4d0002);
    byte[] before = Memory.bytes(memory, length);
    Memory.fill(memory, length, 0);
    Ethernet.write(memory, Ethernet.BROADCAST, 0x5254008fd1d7L, Ethernet.TYPE_ARP);
    Arp.write(arp, Arp.REQUEST, 0x5254008fd1d7L, 0x0a4d0003, 0, 0x0a4d0002);
    assertThat(Memory.bytes(memory, length)).isEqualTo(before);
    Memory.putByte(arp + 4, 8);
    assertThat(Arp.wellFormed(arp, Arp.LENGTH)).as("hardware length").isFalse();
  }

  @Test
  void shouldWriteAnIpHeaderThatChecks() {
    Ipv4.write(memory, 1500, Ipv4.PROTOCOL_TCP, 0xffffffff, 0xfffefdfc);
    assertThat(Ipv4.wellFormed(memory, 1500)).isTrue();
    assertThat(Ipv4.intact(memory)).isTrue();
    assertThat(Ipv4.fragment(memory)).isFalse();
    Memory.putShort(memory + 6, 0x2000);
    assertThat(Ipv4.fragment(memory)).as("more fragments").isTrue();
    Memory.putShort(memory + 6, 0x0001);
    assertThat(Ipv4.fragment(memory)).as("a later fragment").isTrue();
  }

  @Test
  void shouldTurnAnEchoIntoItsReply() {
    put("0800f7fd0001000161626364");
    Memory.putShort(memory + 2, 0);
    Memory.putShort(memory + 2, Checksum.field(Checksum.sum(memory, 12)));
    assertThat(Icmpv4.wellFormed(memory, 12)).isTrue();
    assertThat(Icmpv4.type(memory)).isEqualTo(Icmpv4.ECHO);
    Icmpv4.reply(memory);
    assertThat(Icmpv4.type(memory)).isEqualTo(Icmpv4.ECHO_REPLY);
    assertThat(Icmpv4.wellFormed(memory, 12)).isTrue();
    assertThat(Icmpv4.wellFormed(memory, 7)).isFalse();
  }

  @Test
  void shouldReportStationsFromGroups() {
    assertThat(Ethernet.unicast(0x525400e6d2d6L)).isTrue();
    assertThat(Ethernet.unicast(Ethernet.BROADCAST)).isFalse();
    assertThat(Ethernet.unicast(0x01005e000001L)).isFalse();
    assertThat(Ethernet.unicast(0)).isFalse();
  }

  @Test
  void shouldCompareSequenceNumbersAcrossTheWrap() {
    assertThat(SequenceNumber.before(0xffffffff, 0)).isTrue();
    assertThat(SequenceNumber.after(0, 0xffffffff)).isTrue();
    assertThat(SequenceNumber.before(5, 5)).isFalse();
    assertThat(SequenceNumber.distance(0xfffffff0, 0x10)).isEqualTo(0x20);
    assertThat(SequenceNumber.distance(0x10, 0xfffffff0)).isEqualTo(-0x20);
  }
}
