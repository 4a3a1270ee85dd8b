package org.rddp.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.rddp.group.HandOverEntry.Kind;

/** What is set is read again, whatever the entry held before. */
class HandOverEntryTest {
  private static final int OCTETS = 64;

  private final HandOverEntry entry = new HandOverEntry();

  HandOverEntryTest() {
    Arrays.fill(entry.words, -1);
  }

  @Test
  void shouldFillACacheLine() {
    assertThat(entry.words.length * Long.BYTES).isEqualTo(OCTETS);
  }

  @Test
  void shouldHoldASegment() {
    entry.segment(false, 3, -5, Long.MIN_VALUE, 65_535, 0xffff_ffff_fffeL).remote(0xfffffffe);
    entry.origin(31);
    assertThat(entry.kind()).isEqualTo(Kind.SEGMENT);
    assertThat(entry.origin()).isEqualTo(31);
    assertThat(entry.code()).isEqualTo(3);
    assertThat(entry.packet()).isEqualTo(-5);
    assertThat(entry.header()).isEqualTo(Long.MIN_VALUE);
    assertThat(entry.length()).isEqualTo(65_535);
    assertThat(entry.macAddress()).isEqualTo(0xffff_ffff_fffeL);
    assertThat(entry.remote()).isEqualTo(0xfffffffe);
    assertThat(entry.hasPacket()).isTrue();
    assertThat(entry.segment(true, 0, 1, 2, 3, 4).kind()).isEqualTo(Kind.QUIET_SEGMENT);
    assertThat(entry.hasPacket()).isTrue();
  }

  @Test
  void shouldHoldAnError() {
    entry.error(Kind.TOO_BIG, 1400, 65_535, 65_534, -7).remote(-1, -2, 1);
    assertThat(entry.kind()).isEqualTo(Kind.TOO_BIG);
    assertThat(entry.length()).isEqualTo(1400);
    assertThat(entry.localPort()).isEqualTo(65_535);
    assertThat(entry.remotePort()).isEqualTo(65_534);
    assertThat(entry.sequence()).isEqualTo(-7);
    assertThat(entry.high()).isEqualTo(-1);
    assertThat(entry.low()).isEqualTo(-2);
    assertThat(entry.remote()).isEqualTo(1);
    assertThat(entry.hasPacket()).isFalse();
  }

  @Test
  void shouldHoldWhatAllAreTold() {
    entry.pathMtu(1280).remote(9);
    assertThat(entry.kind()).isEqualTo(Kind.PATH_MTU);
    assertThat(entry.length()).isEqualTo(1280);
    entry.arp(2, -9, 77, -8);
    assertThat(entry.kind()).isEqualTo(Kind.ARP);
    assertThat(entry.code()).isEqualTo(2);
    assertThat(entry.remote()).isEqualTo(-9);
    assertThat(entry.macAddress()).isEqualTo(77);
    assertThat(entry.sequence()).isEqualTo(-8);
    entry.advertisement(-3, 4, 5, true);
    assertThat(entry.kind()).isEqualTo(Kind.ADVERTISEMENT);
    assertThat(entry.flag()).isTrue();
    assertThat(entry.macAddress()).isEqualTo(5);
    entry.router(-3, 4, 65_535, 1400);
    assertThat(entry.kind()).isEqualTo(Kind.ROUTER);
    assertThat(entry.flag()).isFalse();
    assertThat(entry.code()).isEqualTo(65_535);
    assertThat(entry.length()).isEqualTo(1400);
    entry.redirect(-3, 4, -5, -6, true);
    assertThat(entry.kind()).isEqualTo(Kind.REDIRECT);
    assertThat(entry.high()).isEqualTo(-3);
    assertThat(entry.low()).isEqualTo(4);
    assertThat(entry.target()).isEqualTo(-5);
    assertThat(entry.router()).isEqualTo(-6);
    assertThat(entry.flag()).isTrue();
    entry.claim(1, 8, true);
    assertThat(entry.kind()).isEqualTo(Kind.CLAIM);
    assertThat(entry.code()).isEqualTo(1);
    assertThat(entry.macAddress()).isEqualTo(8);
    assertThat(entry.flag()).isTrue();
  }
}
