package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which timestamp is echoed, and which segments are too old (RFC 7323 sections 4.3 and 5). */
class TimestampReceptionTest {
  private static Script stamped() {
    return SackGenerationTest.selective(Script.plain().withTimestamps(true), " ts 1000");
  }

  @Test
  @DisplayName("RFC 7323 4.3: a segment behind a gap does not change the echoed timestamp")
  void shouldNotEchoTheTimestampOfAnEarlySegment() {
    Script script = stamped();
    script.receive(". seq 101 ack 1 len 100 ts 1005");
    script.expect(". seq 1 ack 1 ecr 1000 sack 101-201");
    script.receive(". seq 1 ack 1 len 100 ts 1003");
    script.expect(". seq 1 ack 201 ecr 1003 sack -");
  }

  @Test
  @DisplayName("RFC 7323 4.3: the segment that fills the gap is echoed")
  void shouldEchoTheTimestampThatFillsTheGap() {
    Script script = stamped();
    script.receive(". seq 101 ack 1 len 100 ts 1005");
    script.expect(". seq 1 ack 1 ecr 1000");
    script.receive(". seq 1 ack 1 len 100 ts 1010");
    script.expect(". seq 1 ack 201 ecr 1010");
    script.receive(". seq 201 ack 1 len 100 ts 1011");
    script.expect(". seq 1 ack 301 ecr 1011");
  }

  @Test
  @DisplayName("RFC 7323 4.3: of a burst that one acknowledgment covers, the first is echoed")
  void shouldEchoTheFirstOfABurst() {
    Script script = stamped();
    script.receiveTogether(
        ". seq 1 ack 1 len 100 ts 1001",
        ". seq 101 ack 1 len 100 ts 1002",
        ". seq 201 ack 1 len 100 ts 1003");
    script.expect(". seq 1 ack 301 ecr 1001");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 7323 5.3: an early segment that is too old is dropped")
  @Tag("MPAA-3-02")
  void shouldDropAnEarlySegmentThatIsTooOld() {
    Script script = stamped();
    script.receive(". seq 1 ack 1 len 100 ts 1005");
    script.expect(". seq 1 ack 101 ecr 1005");
    script.handler.takeEvents();
    script.receive(". seq 201 ack 1 len 100 ts 1004");
    script.expect(". seq 1 ack 101 ecr 1005 sack -");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.receive(". seq 201 ack 1 len 100 ts 1005");
    script.expect(". seq 1 ack 101 ecr 1005 sack 201-301");
    assertThat(script.handler.takeEvents()).containsExactly("201+100");
  }

  @Test
  @DisplayName("RFC 7323 5.3: an early segment may be older than one that came before it")
  void shouldTakeEarlySegmentsInAnyOrder() {
    Script script = stamped();
    script.receive(". seq 301 ack 1 len 100 ts 1009");
    script.receive(". seq 101 ack 1 len 100 ts 1004");
    script.receive(". seq 201 ack 1 len 100 ts 1006");
    assertThat(script.handler.takeEvents()).containsExactly("301+100", "101+100", "201+100");
    assertThat(script.stack.counters().oldTimestamps).isZero();
  }

  @Test
  @DisplayName("RFC 7323 5.2: timestamps wrap")
  void shouldCompareTimestampsAcrossTheirWrap() {
    Script script =
        SackGenerationTest.selective(
            Script.plain().withTimestamps(true), " ts " + Integer.MAX_VALUE);
    script.receive(". seq 1 ack 1 len 100 ts " + Integer.MIN_VALUE);
    script.expect(". seq 1 ack 101 ecr " + Integer.MIN_VALUE);
    script.receive(". seq 101 ack 1 len 100 ts " + Integer.MAX_VALUE);
    script.expect(". seq 1 ack 101 ecr " + Integer.MIN_VALUE);
    assertThat(script.stack.counters().oldTimestamps).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 7323 3.2: a segment without its timestamp is dropped, early or not")
  void shouldDropAnEarlySegmentWithoutItsTimestamp() {
    Script script = stamped();
    script.receive(". seq 101 ack 1 len 100");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().oldTimestamps).isEqualTo(1);
  }

  @ParameterizedTest
  @DisplayName("RFC 7323 4.3: a segment without a current ACK does not change TS.Recent")
  @ValueSource(
      strings = {
        ". seq 1 ack 5001 len 100 ts 9000",
        ". seq 1 ack -99999 len 100 ts 9000",
        ". seq 1 ack 5001 ts 9000",
        "S seq 1 ts 9000",
        "S. seq 1 ack 1 ts 9000",
        "P seq 1 len 100 ts 9000",
        ". seq 1 ack 0 ts 9000"
      })
  void shouldNotTakeTheTimestampOfASegmentWithoutACurrentAck(String forged) {
    Script script = stamped();
    script.receive(forged);
    script.drain();
    assertThat(script.handler.takeEvents()).isEmpty();
    script.receive(". seq 1 ack 1 len 100 ts 1001");
    script.expect(". seq 1 ack 101 ecr 1001");
    assertThat(script.stack.counters().oldTimestamps).isZero();
  }
}
