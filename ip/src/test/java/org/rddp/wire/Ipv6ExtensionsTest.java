package org.rddp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.wire.Ipv6Extensions.Outcome;

/** Chains of extension headers. */
class Ipv6ExtensionsTest {
  private static final String PADDING = "010400000000";

  private final long packet = Memory.allocate(4096);
  private final Ipv6Extensions extensions = new Ipv6Extensions();

  /** Walks a packet with that next header and payload. */
  private Outcome walk(int next, String hex) {
    byte[] octets = HexFormat.of().parseHex(hex.replace(" ", ""));
    Memory.copy(octets, 0, packet + Ipv6.HEADER, octets.length);
    Ipv6.write(packet, octets.length, next, 64, 0, 0, 1, 2, 3, 4);
    return extensions.walk(packet);
  }

  private int pointer() {
    return (int) (extensions.pointer - packet);
  }

  @Test
  void shouldFindTcpAtOnce() {
    assertThat(walk(Ipv4.PROTOCOL_TCP, "0102")).isEqualTo(Outcome.PAYLOAD);
    assertThat(extensions.payload).isEqualTo(packet + 40);
    assertThat(extensions.length).isEqualTo(2);
    assertThat(extensions.fragment).isZero();
  }

  @Test
  @DisplayName("RFC 8200 4.3, 4.6: options that may be skipped are")
  void shouldSkipOptions() {
    String chain = "3c00" + PADDING + "3a01 1e04aabbccdd 0000 0000 0102 0000" + "80";
    assertThat(walk(Ipv6.HOP_BY_HOP, chain)).isEqualTo(Outcome.PAYLOAD);
    assertThat(extensions.protocol).isEqualTo(Ipv6.ICMPV6);
    assertThat(extensions.payload).isEqualTo(packet + 40 + 24);
    assertThat(extensions.length).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"5e, DROP", "9e, PROBLEM", "de, PROBLEM_UNLESS_MULTICAST", "1e, PAYLOAD"})
  @DisplayName("RFC 8200 4.2: the upper bits of an unknown option decide")
  void shouldObeyTheActionBits(String option, Outcome outcome) {
    assertThat(walk(Ipv6.DESTINATION_OPTIONS, "0600 0000" + option + "020000")).isEqualTo(outcome);
    if (outcome != Outcome.PAYLOAD && outcome != Outcome.DROP) {
      assertThat(extensions.code).isEqualTo(Icmpv6.UNKNOWN_OPTION);
      assertThat(pointer()).isEqualTo(44);
    }
  }

  @Test
  @DisplayName("RFC 8200 4.1: hop-by-hop options only directly behind the header")
  void shouldRefuseHopByHopOptionsElsewhere() {
    assertThat(walk(Ipv6.DESTINATION_OPTIONS, "0000" + PADDING + "0600" + PADDING))
        .isEqualTo(Outcome.PROBLEM_UNLESS_MULTICAST);
    assertThat(extensions.code).isEqualTo(Icmpv6.UNKNOWN_NEXT_HEADER);
    assertThat(pointer()).isEqualTo(40);
  }

  @Test
  @DisplayName("RFC 5095: routing type 0 is refused while segments are left")
  void shouldRefuseRoutingTypeZero() {
    assertThat(walk(Ipv6.ROUTING, "0600 0001 00000000"))
        .isEqualTo(Outcome.PROBLEM_UNLESS_MULTICAST);
    assertThat(extensions.code).isEqualTo(Icmpv6.WRONG_FIELD);
    assertThat(pointer()).isEqualTo(42);
    assertThat(walk(Ipv6.ROUTING, "0600 0000 00000000")).isEqualTo(Outcome.PAYLOAD);
  }

  @Test
  @DisplayName("RFC 8200 4: an unknown next header is told, with its place")
  void shouldReportAnUnknownHeader() {
    assertThat(walk(17, "00")).isEqualTo(Outcome.PROBLEM_UNLESS_MULTICAST);
    assertThat(extensions.code).isEqualTo(Icmpv6.UNKNOWN_NEXT_HEADER);
    assertThat(pointer()).isEqualTo(6);
    assertThat(walk(Ipv6.NOTHING, "")).isEqualTo(Outcome.DROP);
  }

  @Test
  void shouldStopAtAFragment() {
    assertThat(walk(Ipv6.FRAGMENT, "0600 0011 00000007 0102030405060708"))
        .isEqualTo(Outcome.FRAGMENT);
    assertThat(Ipv6Fragment.offset(extensions.fragment)).isEqualTo(16);
    assertThat(Ipv6Fragment.more(extensions.fragment)).isTrue();
    assertThat(Ipv6Fragment.identification(extensions.fragment)).isEqualTo(7);
    assertThat(Ipv6Fragment.nextHeader(extensions.fragment)).isEqualTo(Ipv4.PROTOCOL_TCP);
    assertThat(extensions.payload).isEqualTo(packet + 48);
    assertThat(extensions.length).isEqualTo(8);
  }

  @Test
  @DisplayName("RFC 6946: an atomic fragment is a whole packet")
  void shouldTakeAnAtomicFragmentAsWhole() {
    assertThat(walk(Ipv6.FRAGMENT, "0600 0000 00000007 01")).isEqualTo(Outcome.PAYLOAD);
    assertThat(extensions.protocol).isEqualTo(Ipv4.PROTOCOL_TCP);
    assertThat(extensions.length).isEqualTo(1);
    assertThat(walk(Ipv6.FRAGMENT, "2c00 0000 00000007 0600 0000 00000007 01"))
        .as("two of them")
        .isEqualTo(Outcome.DROP);
  }

  @Test
  void shouldDropChainsThatAreCutShortOrEndless() {
    assertThat(walk(Ipv6.DESTINATION_OPTIONS, "0600 0000")).isEqualTo(Outcome.DROP);
    assertThat(walk(Ipv6.DESTINATION_OPTIONS, "0601" + PADDING)).isEqualTo(Outcome.DROP);
    assertThat(walk(Ipv6.ROUTING, "0601" + PADDING)).isEqualTo(Outcome.DROP);
    assertThat(walk(Ipv6.FRAGMENT, "0600 0001 0000")).isEqualTo(Outcome.DROP);
    assertThat(walk(Ipv6.DESTINATION_OPTIONS, ("3c00" + PADDING).repeat(200)))
        .isEqualTo(Outcome.DROP);
    assertThat(walk(Ipv6.DESTINATION_OPTIONS, "0603" + "1e00".repeat(15))).isEqualTo(Outcome.DROP);
    assertThat(walk(Ipv6.DESTINATION_OPTIONS, "0600 010500000000"))
        .as("an option beyond its header")
        .isEqualTo(Outcome.PROBLEM_UNLESS_MULTICAST);
  }
}
