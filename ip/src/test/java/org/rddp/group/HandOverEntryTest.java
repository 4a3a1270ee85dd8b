package org.rddp.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.group.HandOverEntry.Kind;

/** What was written is read again, whatever was there before. */
class HandOverEntryTest {
  private static final int OCTETS = 64;

  private final HandOverEntry written = new HandOverEntry();
  private final long[] words = new long[3 * HandOverEntry.WORDS];

  private HandOverEntry read() {
    Arrays.fill(words, -1);
    written.write(words, HandOverEntry.WORDS);
    HandOverEntry entry = new HandOverEntry();
    entry.read(words, HandOverEntry.WORDS);
    return entry;
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldKeepWhatEveryKindMayHave(Kind kind) {
    written.kind = kind;
    written.origin = StackGroup.MOST - 1;
    written.flag = kind.compareTo(Kind.ARP) > 0;
    written.code = 0xfffe;
    written.length = -2;
    written.remote = 0xfffffffd;
    written.sequence = -7;
    written.high = Long.MIN_VALUE;
    written.low = -3;
    written.macAddress = 0xffff_ffff_fffeL;
    written.localPort = 65_535;
    written.remotePort = 65_534;
    assertThat(read())
        .usingRecursiveComparison()
        .ignoringFields("packet", "header", "target", "router")
        .isEqualTo(written);
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"SEGMENT", "QUIET_SEGMENT", "SEALED"})
  void shouldKeepThePacket(Kind kind) {
    written.kind = kind;
    written.packet = -5;
    written.header = Long.MAX_VALUE;
    HandOverEntry entry = read();
    assertThat(entry.packet).isEqualTo(-5);
    assertThat(entry.header).isEqualTo(Long.MAX_VALUE);
    assertThat(entry.hasPacket()).isTrue();
  }

  @Test
  void shouldKeepTheHostsOfARedirect() {
    written.kind = Kind.REDIRECT;
    written.target = -5;
    written.router = Long.MAX_VALUE;
    HandOverEntry entry = read();
    assertThat(entry.target).isEqualTo(-5);
    assertThat(entry.router).isEqualTo(Long.MAX_VALUE);
    assertThat(entry.hasPacket()).isFalse();
  }

  @Test
  void shouldFillACacheLineAndNoMore() {
    written.kind = Kind.ARP;
    read();
    assertThat(HandOverEntry.WORDS * Long.BYTES).isEqualTo(OCTETS);
    assertThat(words[HandOverEntry.WORDS - 1]).isEqualTo(-1);
    assertThat(words[2 * HandOverEntry.WORDS]).isEqualTo(-1);
  }
}
