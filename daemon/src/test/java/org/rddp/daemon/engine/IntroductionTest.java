package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.engine.Introduction.UNKNOWN;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class IntroductionTest {
  private static final Introduction KNOWN = new Introduction(0x123456, 0xabcdef, 0x111111, 7);
  private static final String OCTETS = "524451500103000000123456" + "00abcdef0011111100000007";

  @Test
  void shouldHaveTheLayoutOfTheWire() {
    assertThat(HexFormat.of().formatHex(KNOWN.encode())).isEqualTo(OCTETS);
    assertThat(Introduction.decode(HexFormat.of().parseHex(OCTETS))).isEqualTo(KNOWN);
    assertThat(HexFormat.of().formatHex(new Introduction(1, 2, UNKNOWN, UNKNOWN).encode()))
        .isEqualTo("5244515001000000" + "0000000100000002" + "0000000000000000");
    assertThat(Introduction.decode(new Introduction(1, 2, UNKNOWN, 3).encode()))
        .isEqualTo(new Introduction(1, 2, UNKNOWN, 3));
    assertThat(HexFormat.of().formatHex(Introduction.reply())).isEqualTo("5244515001000000");
  }

  @Test
  void shouldTakeNothingElseForAnIntroduction() {
    byte[] octets = HexFormat.of().parseHex(OCTETS);
    assertThat(Introduction.decode(new byte[0])).isNull();
    assertThat(Introduction.decode(HexFormat.of().parseHex(OCTETS.substring(2)))).isNull();
    octets[0] ^= 1;
    assertThat(Introduction.decode(octets)).isNull();
    octets[0] ^= 1;
    octets[4] = 2;
    assertThat(Introduction.decode(octets)).isNull();
    assertThat(Introduction.isReply(new byte[8])).isFalse();
    assertThat(Introduction.isReply(new byte[0])).isFalse();
  }

  @Test
  void shouldMatchOnlyWhereNumbersAndKnownPsnsAreEqual() {
    assertThat(KNOWN.matches(0x123456, 0xabcdef, 0x111111, 7)).isTrue();
    assertThat(KNOWN.matches(0x123457, 0xabcdef, 0x111111, 7)).isFalse();
    assertThat(KNOWN.matches(0x123456, 0xabcdee, 0x111111, 7)).isFalse();
    assertThat(KNOWN.matches(0x123456, 0xabcdef, 0x111112, 7)).isFalse();
    assertThat(KNOWN.matches(0x123456, 0xabcdef, 0x111111, 8)).isFalse();
    assertThat(KNOWN.matches(0x123456, 0xabcdef, 0x111111, UNKNOWN)).isTrue();
    Introduction some = new Introduction(1, 2, UNKNOWN, 4);
    assertThat(some.matches(1, 2, 3, 4)).isTrue();
    assertThat(some.matches(1, 2, 3, 5)).isFalse();
    assertThat(some.isComparable(UNKNOWN)).isFalse();
    assertThat(some.isComparable(4)).isTrue();
    assertThat(KNOWN.isComparable(UNKNOWN)).isTrue();
  }

  @Test
  void shouldIgnoreBitsBeyondNumbersOfAPeer() {
    byte[] octets = KNOWN.encode();
    octets[16] = 1;
    assertThat(Introduction.decode(octets)).isEqualTo(KNOWN);
    octets[8] = 1;
    assertThat(Introduction.decode(octets).matches(0x123456, 0xabcdef, 0x111111, 7)).isFalse();
  }
}
