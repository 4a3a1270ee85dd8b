package org.rddp.daemon.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.wire.Memory;

/** Headers against octets made by hand; their numbers are in the machine's order, here little. */
class VirtioHeaderTest {
  private final long header = Memory.allocate(VirtioHeader.OCTETS);

  VirtioHeaderTest() {
    // What a header before left here.
    Memory.fill(header, VirtioHeader.OCTETS, 0xff);
  }

  private String written() {
    assertThat(ByteOrder.nativeOrder()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
    return HexFormat.of().formatHex(Memory.bytes(header, VirtioHeader.OCTETS));
  }

  @Test
  void shouldAskForNothing() {
    VirtioHeader.clear(header);
    assertThat(written()).isEqualTo("00 00 0000 0000 0000 0000".replace(" ", ""));
  }

  @Test
  void shouldAskForAChecksum() {
    VirtioHeader.requestChecksum(header, 14 + 20, 32);
    assertThat(written()).isEqualTo("01 00 4200 0000 2200 1000".replace(" ", ""));
  }

  @Test
  void shouldAskForSegmentsOverIpv4() {
    VirtioHeader.requestChecksum(header, 14 + 20, 32);
    VirtioHeader.requestSegments(header, false, 1448);
    assertThat(written()).isEqualTo("01 01 4200 a805 2200 1000".replace(" ", ""));
  }

  @Test
  void shouldAskForSegmentsOverIpv6() {
    VirtioHeader.requestChecksum(header, 14 + 40, 20);
    VirtioHeader.requestSegments(header, true, 8940);
    assertThat(written()).isEqualTo("01 04 4a00 ec22 3600 1000".replace(" ", ""));
  }

  @Test
  void shouldAskForOnePieceOfMemory() {
    VirtioHeader.requestChecksum(header, 14 + 20, 32);
    VirtioHeader.requestSegments(header, false, 1448);
    VirtioHeader.requestOnePiece(header, 63_778);
    assertThat(written()).isEqualTo("01 01 22f9 a805 2200 1000".replace(" ", ""));
  }

  /** A blank checksum of a neighbour in memory, one that a card has checked, and neither. */
  @ParameterizedTest
  @CsvSource({
    "01004200000022001000, true",
    "01014200a80522001000, true",
    "02000000000000000000, true",
    "02010000a80500000000, true",
    "00000000000000000000, false",
    "00014200a80500000000, false",
  })
  void shouldSayWhetherTheChecksumNeedNoCheck(String octets, boolean intact) {
    byte[] received = HexFormat.of().parseHex(octets);
    Memory.copy(received, 0, header, received.length);
    assertThat(VirtioHeader.intact(header)).isEqualTo(intact);
  }
}
