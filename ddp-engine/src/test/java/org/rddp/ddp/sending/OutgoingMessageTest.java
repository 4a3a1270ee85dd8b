package org.rddp.ddp.sending;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.DdpStream;
import org.rddp.wire.Memory;

class OutgoingMessageTest {
  private final OutgoingMessage message = new OutgoingMessage();
  private final long header = Memory.allocate(32);

  /** Every segment: header in hexadecimal, offset and octets of its payload. */
  private List<String> segments(int... mulpdus) {
    List<String> segments = new ArrayList<>();
    long start = message.nextAddress();
    boolean last = false;
    for (int i = 0; !last; i++) {
      int payload = message.nextPayload(mulpdus[Math.min(i, mulpdus.length - 1)]);
      message.writeHeader(header, 1, 0, payload);
      String hex = HexFormat.of().formatHex(Memory.bytes(header, message.headerLength()));
      segments.add(hex + " +" + (message.nextAddress() - start) + " " + payload);
      last = message.sent(payload);
    }
    return segments;
  }

  /** The example of RFC 5041 section 5.2. */
  @Test
  @Tag("DDP-5.2-06") // the RFC's example
  @Tag("DDP-5.2-05") // MO of each segment
  @Tag("DDP-4.1-03") // L in the last only
  @Tag("DDP-4.1-05") // which has the highest MO
  @Tag("DDP-4.3-10") // MO of the first
  void shouldCutAnUntaggedMessage() {
    message.untagged(1, 0x43, 0, 0, 9);
    message.memory(100_000, 2048);
    assertThat(segments(1500))
        .containsExactly(
            "0143" + "00000000" + "00000000" + "00000009" + "00000000" + " +0 1482",
            "4143" + "00000000" + "00000000" + "00000009" + "000005ca" + " +1482 566");
  }

  /** The example of RFC 5041 section 5.2. */
  @Test
  @Tag("DDP-5.2-09")
  @Tag("DDP-5.2-08")
  @Tag("DDP-4.1-03")
  void shouldCutATaggedMessage() {
    message.tagged(1, 0x40, 0xcafe, 16384);
    message.memory(100_000, 2048);
    assertThat(segments(1500))
        .containsExactly(
            "8140" + "0000cafe" + "0000000000004000" + " +0 1486",
            "c140" + "0000cafe" + "00000000000045ce" + " +1486 562");
  }

  @Test
  @Tag("DDP-4.2-02") // RsvdULP, tagged
  @Tag("DDP-4.2-05") // STag
  @Tag("DDP-4.3-02") // RsvdULP, untagged
  @Tag("DDP-4.3-05") // QN
  @Tag("DDP-4.3-09") // MSN
  void shouldSayTheSameInEverySegmentOfAMessage() {
    message.untagged(1, 0x55, 0x66778899, 3, -1);
    message.memory(100_000, 3 * 110);
    assertThat(segments(128))
        .hasSize(3)
        .allMatch(segment ->
            segment.substring(2).startsWith("55" + "66778899" + "00000003" + "ffffffff"));
    message.tagged(1, 0x55, 0x66778899, 0);
    message.memory(100_000, 3 * 114);
    assertThat(segments(128))
        .hasSize(3)
        .allMatch(segment -> segment.substring(2).startsWith("55" + "66778899"));
  }

  @Test
  @Tag("DDP-5.2-10")
  @Tag("DDP-5.2-11")
  @Tag("DDP-4.4-01")
  @Tag("DDP-4.1-03")
  void shouldSendAnEmptyMessageAsOneSegment() {
    message.untagged(1, 0x43, 0, 0, 1);
    message.memory(100_000, 0);
    assertThat(segments(1442)).containsExactly("414300000000000000000000000100000000 +0 0");
    message.tagged(1, 0x40, 1, 2);
    message.memory(100_000, 0);
    assertThat(segments(1442)).containsExactly("c140000000010000000000000002 +0 0");
  }

  @Test
  @Tag("DDP-4.2-07")
  @Tag("DDP-5.2-07")
  void shouldBeginAtAnyTaggedOffset() {
    message.tagged(1, 0x40, 1, -101);
    message.memory(100_000, 100);
    assertThat(segments(1442)).containsExactly("c14000000001ffffffffffffff9b +0 100");
  }

  @Test
  @Tag("DDP-3-01")
  void shouldCutEachSegmentToTheMulpduOfItsMoment() {
    message.tagged(1, 0x40, 0, 0);
    message.memory(100_000, 1000);
    assertThat(segments(514, 214, 1442))
        .containsExactly(
            "8140000000000000000000000000 +0 500",
            "81400000000000000000000001f4 +500 200",
            "c1400000000000000000000002bc +700 300");
  }

  @Test
  @Tag("DDP-5.2-02")
  void shouldCountOffsetsUpToTheLongestMessage() {
    message.untagged(1, 0x43, 0, 0, 1);
    message.memory(0, DdpStream.MAX_MESSAGE);
    long sent = 0;
    while (sent < DdpStream.MAX_MESSAGE - 64_750) {
      int payload = message.nextPayload(64_768);
      assertThat(payload).isEqualTo(64_750);
      assertThat(message.sent(payload)).isFalse();
      sent += payload;
    }
    int rest = message.nextPayload(64_768);
    message.writeHeader(header, 1, 0, rest);
    assertThat(Memory.getByte(header)).isEqualTo(0x41);
    assertThat(Integer.toUnsignedLong(Memory.getInt(header + 14))).isEqualTo(sent);
    assertThat(sent + rest).isEqualTo(DdpStream.MAX_MESSAGE);
    assertThat(message.sent(rest)).isTrue();
  }
}
