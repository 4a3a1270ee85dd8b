package org.rddp.ddp.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

class DdpHeaderTest {
  private final long memory = Memory.allocate(64);

  private String hex(int octets) {
    return HexFormat.of().formatHex(Memory.bytes(memory, octets));
  }

  @Test
  @Tag("DDP-4.2-01")
  @Tag("DDP-4.1-01")
  @Tag("DDP-4.1-06")
  @Tag("DDP-4.1-08")
  void shouldLayOutTheTaggedHeader() {
    DdpHeader.writeTagged(memory, 1, true, 0x40, 0x01020304, 0x1112131415161718L);
    assertThat(hex(DdpHeader.TAGGED_LENGTH)).isEqualTo("c140" + "01020304" + "1112131415161718");

    Ulpdu segment = Ulpdu.of(0, memory, DdpHeader.TAGGED_LENGTH);
    int control = DdpHeader.control(segment);
    assertThat(DdpHeader.tagged(control)).isTrue();
    assertThat(DdpHeader.last(control)).isTrue();
    assertThat(DdpHeader.version(control)).isEqualTo(1);
    assertThat(DdpHeader.rsvdUlp(segment)).isEqualTo(0x40);
    assertThat(DdpHeader.stag(segment)).isEqualTo(0x01020304);
    assertThat(DdpHeader.to(segment)).isEqualTo(0x1112131415161718L);
  }

  /** The ULPDU of RFC 5044 figure 5 begins with this header. */
  @Test
  @Tag("DDP-4.3-01")
  @Tag("DDP-4.1-01")
  @Tag("DDP-4.1-06")
  @Tag("DDP-4.1-08")
  void shouldLayOutTheUntaggedHeader() {
    DdpHeader.writeUntagged(memory, 1, true, 0x43, 0, 0, 1, 0);
    assertThat(hex(DdpHeader.UNTAGGED_LENGTH)).isEqualTo("414300000000000000000000000100000000");

    DdpHeader.writeUntagged(memory, 1, false, 0xff, 0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10);
    assertThat(hex(DdpHeader.UNTAGGED_LENGTH)).isEqualTo("01ff0102030405060708090a0b0c0d0e0f10");

    Ulpdu segment = Ulpdu.of(0, memory, DdpHeader.UNTAGGED_LENGTH);
    int control = DdpHeader.control(segment);
    assertThat(DdpHeader.tagged(control)).isFalse();
    assertThat(DdpHeader.last(control)).isFalse();
    assertThat(DdpHeader.rsvdUlp(segment)).isEqualTo(0xff);
    assertThat(DdpHeader.rsvdUlpRest(segment)).isEqualTo(0x01020304);
    assertThat(DdpHeader.qn(segment)).isEqualTo(0x05060708);
    assertThat(DdpHeader.msn(segment)).isEqualTo(0x090a0b0c);
    assertThat(DdpHeader.mo(segment)).isEqualTo(0x0d0e0f10);
  }
}
