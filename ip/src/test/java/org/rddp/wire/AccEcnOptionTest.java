package org.rddp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The AccECN option (RFC 9768 section 3.2.3). */
class AccEcnOptionTest {
  private final long header = Memory.allocate(64);
  private final TcpOptions options = new TcpOptions();

  private AccEcnOption parse(int... octets) {
    for (int i = 0; i < octets.length; i++) {
      Memory.putByte(header + Tcp.HEADER + i, octets[i]);
    }
    assertThat(options.parse(header, Tcp.HEADER + octets.length)).isTrue();
    return options.accEcn;
  }

  private static String text(AccEcnOption option) {
    return option.ect0() + " " + option.ce() + " " + option.ect1();
  }

  @Test
  @Tag("ACC-3.2.3-01")
  @DisplayName("RFC 9768 3.2.3: kind 172 begins with ECT(0), kind 174 with ECT(1)")
  void shouldReadBothOrders() {
    assertThat(text(parse(172, 11, 0, 0, 1, 2, 0, 0, 0, 0, 3, 1))).isEqualTo("1 131072 3");
    assertThat(text(parse(174, 11, 0, 0, 1, 2, 0, 0, 0, 0, 3, 1))).isEqualTo("3 131072 1");
  }

  @Test
  @Tag("ACC-3.2.3-02")
  @DisplayName("RFC 9768 3.2.3: of any length the whole counters are read")
  void shouldReadAnyLength() {
    assertThat(text(parse(172, 2, 1, 1))).isEqualTo("-1 -1 -1");
    assertThat(options.accEcn.present()).isTrue();
    assertThat(text(parse(172, 4, 9, 9))).isEqualTo("-1 -1 -1");
    assertThat(text(parse(172, 5, 0, 0, 7, 1, 1, 1))).isEqualTo("7 -1 -1");
    assertThat(text(parse(174, 5, 0, 0, 7, 1, 1, 1))).isEqualTo("-1 -1 7");
    assertThat(text(parse(172, 8, 0, 0, 7, 0, 0, 8))).isEqualTo("7 8 -1");
    assertThat(text(parse(172, 10, 0, 0, 7, 0, 0, 8, 5, 5, 1, 1))).isEqualTo("7 8 -1");
    assertThat(text(parse(172, 12, 0, 0, 7, 0, 0, 8, 0, 0, 9, 66))).isEqualTo("7 8 9");
    assertThat(text(parse(8, 10, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1))).isEqualTo("-1 -1 -1");
    assertThat(options.accEcn.present()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"8, false", "8, true", "12, false", "12, true"})
  @Tag("ACC-3.2.3-01")
  @Tag("ACC-3.2.3.1-01")
  @DisplayName("RFC 9768 3.2.3: what is written is read again, and summed")
  void shouldReadWhatItWrites(int length, boolean ect1First) {
    long at = header + Tcp.HEADER;
    long sum = AccEcnOption.put(at, length, ect1First, 0x5123456, 0x6abcdef, 0x7fedcba);
    assertThat(Checksum.fold(sum)).isEqualTo(Checksum.fold(Checksum.sum(at, length)));
    assertThat(options.parse(header, Tcp.HEADER + length)).isTrue();
    AccEcnOption option = options.accEcn;
    boolean all = length == AccEcnOption.LONG;
    assertThat(option.ect0()).isEqualTo(all || !ect1First ? 0x123456 : -1);
    assertThat(option.ce()).isEqualTo(0xabcdef);
    assertThat(option.ect1()).isEqualTo(all || ect1First ? 0xfedcba : -1);
  }

  @Test
  @Tag("ACC-3.2.3.2.4-01")
  @DisplayName("RFC 9768 3.2.3.2.4: a zero where counting begins with 1 was not written by a peer")
  void shouldTellZeroedCounters() {
    assertThat(parse(172, 5, 0, 0, 0, 1, 1, 1).zeroed()).isTrue();
    assertThat(parse(174, 5, 0, 0, 0, 1, 1, 1).zeroed()).isTrue();
    assertThat(parse(172, 8, 0, 0, 1, 0, 0, 0).zeroed()).isFalse();
    assertThat(parse(172, 2, 1, 1).zeroed()).isFalse();
  }
}
