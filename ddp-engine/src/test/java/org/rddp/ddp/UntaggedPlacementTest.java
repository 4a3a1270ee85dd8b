package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.untagged;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.segment.DdpError;

/** What DDP does with untagged segments, good and bad (RFC 5041 section 7.1). */
class UntaggedPlacementTest {
  private static final int LAST = 0x41;
  private static final int MORE = 0x01;
  private static final int LENGTH = 100;

  private final DdpFixture ddp = DdpFixture.receiving(4, 4);
  private final GuardedMemory first = new GuardedMemory(LENGTH);
  private final GuardedMemory second = new GuardedMemory(LENGTH);

  private void postBoth() {
    assertThat(ddp.stream.postReceive(0, new StreamRequest(11).memory(first.address(), LENGTH)))
        .isTrue();
    assertThat(ddp.stream.postReceive(0, new StreamRequest(12).memory(second.address(), LENGTH)))
        .isTrue();
  }

  private void assertRefused(DdpError error, String segment) {
    byte[] before = first.octets();
    assertThat(ddp.receive(segment))
        .startsWith("receive flushed qn 0 id 11")
        .endsWith("error " + error);
    assertThat(ddp.ulp.report.header())
        .isEqualTo(HexFormat.of().parseHex(segment.substring(0, 36)));
    assertThat(ddp.ulp.report.segmentLength()).isEqualTo(segment.length() / 2);

    String good = untagged(LAST, 0, 1, 0, "01");
    assertThat(ddp.receive(good, good)).as("dropped silently").isEmpty();
    assertThat(ddp.engine.receiveCounters().segmentsRefused).as("faults counted").isOne();
    first.assertHolds(before);
    second.assertUntouched();
    assertThat(ddp.peer.events()).as("the stream stays").containsExactly("full operation");
  }

  private static byte[] poisoned(byte[] octets) {
    byte[] model = new byte[LENGTH];
    Arrays.fill(model, GuardedMemory.POISON);
    System.arraycopy(octets, 0, model, 0, octets.length);
    return model;
  }

  @Test
  @Tag("DDP-1.2-01") // the buffer is used up
  @Tag("DDP-4.1-02") // into the untagged buffer
  @Tag("DDP-4.3-03") // with RsvdULP
  @Tag("DDP-5.4-03") // with its length
  @Tag("DDP-3-08") // segments with their lengths
  void shouldDeliverAShortMessageWithItsLength() {
    postBoth();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "0102030405060708090a")))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 10");
    first.assertHolds(poisoned(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    assertThat(ddp.receive("41aa01020304" + "00000000" + "00000002" + "00000000" + "01"))
        .as("with all forty bits of the user's")
        .containsExactly("untagged aa01020304 qn 0 msn 2 id 12 octets 1");
  }

  @Test
  @Tag("DDP-5.4-02")
  @Tag("DDP-5.4-04")
  @Tag("DDP-5.2-04")
  @Tag("DDP-3-04")
  void shouldPutAMessageTogether() {
    postBoth();
    assertThat(ddp.receive(untagged(MORE, 0, 1, 0, octets(60, 1)))).isEmpty();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 60, octets(30, 2))))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 90");
    byte[] message = new byte[90];
    Arrays.fill(message, 0, 60, (byte) 1);
    Arrays.fill(message, 60, 90, (byte) 2);
    first.assertHolds(poisoned(message));
  }

  @Test
  @Tag("DDP-5.3-02")
  void shouldTakeSegmentsInAnyOrderOfOffsets() {
    postBoth();
    assertThat(ddp.receive(untagged(MORE, 0, 1, 50, octets(10, 2)))).isEmpty();
    assertThat(ddp.receive(untagged(MORE, 0, 1, 0, octets(50, 1)))).isEmpty();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 60, octets(1, 3))))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 61");
  }

  @Test
  @Tag("DDP-5.3-06")
  @Tag("DDP-5.4-02")
  void shouldDeliverInOrderWhenThePeerMixesMessages() {
    postBoth();
    assertThat(ddp.receive(untagged(LAST, 0, 2, 0, "02"))).isEmpty();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01")))
        .containsExactly(
            "untagged 4300000000 qn 0 msn 1 id 11 octets 1",
            "untagged 4300000000 qn 0 msn 2 id 12 octets 1");
  }

  @Test
  @Tag("DDP-5.3-05")
  @Tag("DDP-7.1-09")
  void shouldDeliverAMessageOnce() {
    postBoth();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01")))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 1");
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "02")))
        .containsExactly("receive flushed qn 0 id 12", "error MSN_RANGE");
    first.assertHolds(poisoned(new byte[] {1}));
    second.assertUntouched();
  }

  @Test
  @Tag("DDP-5.3-05")
  void shouldRefuseMoreOfACompleteMessage() {
    postBoth();
    assertThat(ddp.receive(untagged(LAST, 0, 2, 0, "02"))).isEmpty();
    assertThat(ddp.receive(untagged(LAST, 0, 2, 0, "03"))).endsWith("error MSN_RANGE");
    second.assertHolds(poisoned(new byte[] {2}));
  }

  @Test
  @Tag("DDP-4.3-04")
  void shouldReportTheUsersOctetsOfTheLastSegment() {
    postBoth();
    assertThat(
            ddp.receive(
                "01aa01010101" + "00000000" + "00000001" + "00000000" + "07",
                "41bb02020202" + "00000000" + "00000001" + "00000001" + "08"))
        .containsExactly("untagged bb02020202 qn 0 msn 1 id 11 octets 2");
  }

  @Test
  @Tag("DDP-4.1-07")
  void shouldNotLookAtReservedBits() {
    postBoth();
    assertThat(ddp.receive(untagged(0x7d, 0, 1, 0, "01")))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 1");
  }

  @Test
  @Tag("DDP-5.2-10")
  @Tag("DDP-4.4-01")
  void shouldDeliverAnEmptyMessage() {
    postBoth();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "")))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 0");
    assertThat(ddp.receive(untagged(LAST, 0, 2, 0xffff_ffff, "")))
        .as("its offset does not matter")
        .containsExactly("untagged 4300000000 qn 0 msn 2 id 12 octets 0");
    first.assertUntouched();
    second.assertUntouched();
  }

  @Test
  void shouldTakeAnEmptyBuffer() {
    ddp.stream.postReceive(0, new StreamRequest(11).memory(0, 0));
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "")))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 0");
  }

  @Test
  void shouldEndAMessageWithAnEmptySegment() {
    postBoth();
    assertThat(
            ddp.receive(
                untagged(MORE, 0, 1, 0, octets(10, 1)), untagged(LAST, 0, 1, 0x7fff_ffff, "")))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 10");
  }

  @Test
  void shouldNumberEachQueueByItself() {
    postBoth();
    ddp.stream.postReceive(1, new StreamRequest(21).memory(second.address(), LENGTH));
    assertThat(ddp.receive(untagged(LAST, 1, 1, 0, "01"), untagged(LAST, 0, 1, 0, "01")))
        .containsExactly(
            "untagged 4300000000 qn 1 msn 1 id 21 octets 1",
            "untagged 4300000000 qn 0 msn 1 id 11 octets 1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INVALID_QN       |          2 | 1          | 0          |   1 | DDP-7.1-01 DDP-7.2-01
          INVALID_QN       |          2 | 1          | 0          |   0 | DDP-7.1-01
          INVALID_QN       |          3 | 1          | 0          |   1 | DDP-7.1-01 DDP-7.2-01
          INVALID_QN       | 0x7fffffff | 1          | 0          |   1 | DDP-7.1-01 DDP-7.2-01
          INVALID_QN       | 0x80000000 | 1          | 0          |   1 | DDP-7.1-01 DDP-7.2-01
          INVALID_QN       | 0xffffffff | 1          | 0          |   1 | DDP-7.1-01 DDP-7.2-01
          NO_BUFFER        |          0 | 3          | 0          |   1 | DDP-7.1-02 DDP-7.1-06 DDP-7.1-03
          NO_BUFFER        |          0 | 4          | 0          |   1 | DDP-7.1-02 DDP-7.1-05
          NO_BUFFER        |          0 | 0x7fffffff | 0          |   1 | DDP-7.1-02 DDP-7.1-05
          MSN_RANGE        |          0 | 0          | 0          |   1 | DDP-7.1-09
          MSN_RANGE        |          0 | 0xffffffff | 0          |   1 | DDP-7.1-09
          MSN_RANGE        |          0 | 0x80000001 | 0          |   1 | DDP-7.1-09
          INVALID_MO       |          0 | 1          | 100        |   1 | DDP-7.1-07
          INVALID_MO       |          0 | 1          | 101        |   1 | DDP-7.1-07
          INVALID_MO       |          0 | 1          | 0x7fffffff |   1 | DDP-7.1-07
          INVALID_MO       |          0 | 1          | 0x80000000 |   1 | DDP-7.1-07
          INVALID_MO       |          0 | 1          | 0xffffffff |   1 | DDP-7.1-07
          MESSAGE_TOO_LONG |          0 | 1          | 0          | 101 | DDP-7.1-08
          MESSAGE_TOO_LONG |          0 | 1          | 1          | 100 | DDP-7.1-08
          MESSAGE_TOO_LONG |          0 | 1          | 99         |   2 | DDP-7.1-08
          MESSAGE_TOO_LONG |          0 | 1          | 50         |  51 | DDP-7.1-08
          """)
  @Tag("DDP-7.1-16")
  void shouldRefuse(DdpError error, String qn, String msn, String mo, int octets, String clauses) {
    postBoth();
    assertRefused(error, untagged(MORE, number(qn), number(msn), number(mo), octets(octets, 1)));
  }

  private static int number(String text) {
    return Long.decode(text).intValue();
  }

  @Test
  @Tag("DDP-7.1-02")
  void shouldRefuseAMessageWhenNothingIsPosted() {
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01"))).containsExactly("error NO_BUFFER");
  }

  @Test
  @Tag("DDP-7.1-08")
  void shouldFillABufferToTheOctet() {
    postBoth();
    assertThat(ddp.receive(untagged(MORE, 0, 1, 0, octets(99, 1)))).isEmpty();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 99, "01")))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 100");
  }

  @Test
  @Tag("DDP-4.1-05")
  void shouldRefuseALastSegmentThatIsNotTheHighest() {
    postBoth();
    assertThat(ddp.receive(untagged(MORE, 0, 1, 50, octets(50, 1)))).isEmpty();
    assertRefused(DdpError.INVALID_MO, untagged(LAST, 0, 1, 0, octets(49, 1)));
  }

  @Test
  @Tag("DDP-5.4-02")
  void shouldNotDeliverAMessageWithAHole() {
    postBoth();
    assertThat(ddp.receive(untagged(MORE, 0, 1, 0, octets(49, 1)))).isEmpty();
    assertRefused(DdpError.INVALID_MO, untagged(LAST, 0, 1, 50, octets(1, 1)));
  }

  @Test
  @Tag("DDP-5.4-02")
  void shouldNotDeliverAMessageWithAHoleHiddenByAnOverlap() {
    postBoth();
    assertThat(
            ddp.receive(
                untagged(MORE, 0, 1, 0, octets(10, 1)), untagged(MORE, 0, 1, 0, octets(10, 1))))
        .isEmpty();
    assertRefused(DdpError.INVALID_MO, untagged(LAST, 0, 1, 20, octets(10, 3)));
  }

  @Test
  @Tag("DDP-5.4-02")
  @Tag("DDP-5.3-04")
  void shouldDeliverAMessageOfWhichOctetsCameTwice() {
    postBoth();
    assertThat(
            ddp.receive(
                untagged(MORE, 0, 1, 0, octets(20, 1)),
                untagged(MORE, 0, 1, 10, octets(20, 1)),
                untagged(LAST, 0, 1, 30, octets(10, 1))))
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 40");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  @Tag("DDP-7.2-05")
  @Tag("DDP-4.1-09")
  void shouldRefuseAnotherVersion(int version) {
    postBoth();
    assertRefused(DdpError.UNTAGGED_VERSION, untagged(0x40 | version, 0, 1, 0, "01"));
  }

  @Test
  @Tag("DDP-7.2-02")
  void shouldRefuseASegmentShorterThanItsHeader() {
    postBoth();
    String segment = untagged(LAST, 0, 1, 0, "").substring(0, 34);
    assertThat(ddp.receive(segment)).endsWith("error LOCAL_CATASTROPHIC");
    assertThat(ddp.ulp.report.header()).hasSize(17);
  }

  @Test
  void shouldPlaceNothingThatTheUserRefuses() {
    postBoth();
    ddp.ulp.refusedRsvdUlp = 0x43;
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01"))).endsWith("refused");
    first.assertUntouched();
  }

  @Test
  @Tag("DDP-6.2.2-02")
  void shouldFlushEveryQueueWhenItFails() {
    postBoth();
    ddp.stream.postReceive(1, new StreamRequest(21).memory(second.address(), LENGTH));
    List<String> events = ddp.receive(untagged(LAST, 9, 1, 0, "01"));
    assertThat(events)
        .containsExactly(
            "receive flushed qn 0 id 11",
            "receive flushed qn 0 id 12",
            "receive flushed qn 1 id 21",
            "error INVALID_QN");
    assertThat(ddp.stream.postReceive(0, new StreamRequest(13).memory(first.address(), LENGTH)))
        .isFalse();
  }
}
