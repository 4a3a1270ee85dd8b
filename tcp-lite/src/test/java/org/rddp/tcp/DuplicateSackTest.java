package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.SackGenerationTest.selective;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** D-SACKs that we send (RFC 2883 section 4). */
class DuplicateSackTest {
  private static Script with(String... segments) {
    Script script = selective();
    for (String segment : segments) {
      script.receive(segment);
      script.expect(". seq 1");
    }
    script.handler.takeEvents();
    return script;
  }

  @Test
  @DisplayName("RFC 2883 4.1: a whole segment before the left edge")
  void shouldReportASegmentThatCameTwice() {
    Script script = with(". seq 1 ack 1 len 100");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 101 sack 1-101");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().duplicates).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 2883 4: each duplicate is reported in one acknowledgment only")
  void shouldReportADuplicateOnce() {
    Script script = with(". seq 1 ack 1 len 100");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 101 sack 1-101");
    script.receive(". seq 101 ack 1 len 100");
    script.expect(". seq 1 ack 201 sack -");
  }

  @Test
  @DisplayName("RFC 2883 4.1.1: the acknowledgment of a duplicate beside a gap")
  void shouldReportTheGapBehindTheDuplicate() {
    Script script = with(". seq 1 ack 1 len 100", ". seq 301 ack 1 len 100");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 101 sack 1-101,301-401");
  }

  @Test
  @DisplayName("RFC 2883 4.1.3: a segment above the left edge, and the block that it lies in")
  void shouldReportAnEarlyDuplicateAndItsBlock() {
    Script script = with(". seq 101 ack 1 len 100", ". seq 201 ack 1 len 100");
    script.receive(". seq 201 ack 1 len 100");
    script.expect(". seq 1 ack 1 sack 201-301,101-301");
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  @DisplayName("RFC 2883 4: the block of the duplicate is the first behind it")
  void shouldPutTheBlockOfTheDuplicateFirst() {
    Script script = with(". seq 101 ack 1 len 100", ". seq 301 ack 1 len 100");
    script.receive(". seq 101 ack 1 len 100");
    script.expect(". seq 1 ack 1 sack 101-201,101-201,301-401");
  }

  @Test
  @DisplayName("RFC 2883 4.2.1: a part before the left edge")
  @Tag("MPAA-3-04")
  void shouldReportThePartThatCameTwice() {
    Script script = with(". seq 1 ack 1 len 100");
    script.receive(". seq 51 ack 1 len 100");
    script.expect(". seq 1 ack 151 sack 51-101");
    assertThat(script.handler.takeEvents()).containsExactly("101+50");
  }

  @Test
  @DisplayName("RFC 2883 4.2.1: a part above the left edge")
  @Tag("MPAA-3-04")
  void shouldReportTheEarlyPartThatCameTwice() {
    Script script = with(". seq 101 ack 1 len 100");
    script.receive(". seq 151 ack 1 len 100");
    script.expect(". seq 1 ack 1 sack 151-201,101-251");
    assertThat(script.handler.takeEvents()).containsExactly("201+50");
  }

  @Test
  @DisplayName("RFC 2883 4.2.2: a duplicate part in the middle of a segment")
  void shouldReportThePartInTheMiddle() {
    Script script = with(". seq 201 ack 1 len 100");
    script.receive(". seq 101 ack 1 len 300");
    script.expect(". seq 1 ack 1 sack 201-301,101-401");
    assertThat(script.handler.takeEvents()).containsExactly("101+100", "301+100");
  }

  @Test
  @DisplayName("RFC 2883 4.2.3: of two parts, the first")
  void shouldReportTheFirstOfTwoParts() {
    Script script = with(". seq 101 ack 1 len 100", ". seq 301 ack 1 len 100");
    script.receive(". seq 51 ack 1 len 400");
    script.expect(". seq 1 ack 1 sack 101-201,51-451");
    assertThat(script.handler.takeEvents()).containsExactly("51+50", "201+100", "401+50");
  }

  @Test
  @DisplayName("RFC 2883 4.2: a segment that closes a gap and repeats what is behind it")
  void shouldReportWhatIsRepeatedWhileAGapCloses() {
    Script script = with(". seq 101 ack 1 len 100");
    script.receive(". seq 1 ack 1 len 300");
    script.expect(". seq 1 ack 301 sack 101-201");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "edge 201", "201+100");
  }

  @Test
  @DisplayName("RFC 2883 4: two duplicates in a burst have an acknowledgment each")
  void shouldAcknowledgeEveryDuplicateByItself() {
    Script script = with(". seq 1 ack 1 len 100", ". seq 101 ack 1 len 100");
    script.receiveTogether(". seq 1 ack 1 len 100", ". seq 101 ack 1 len 100");
    script.expect(". seq 1 ack 201 sack 1-101");
    script.expect(". seq 1 ack 201 sack 101-201");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2883 4: beside timestamps the duplicate leaves room for two blocks")
  void shouldReportDuplicatesBesideTimestamps() {
    Script script = selective(Script.plain().withTimestamps(true), " ts 5");
    for (int sequence = 101; sequence < 700; sequence += 200) {
      script.receive(". seq " + sequence + " ack 1 len 100 ts 6");
      script.expect(". seq 1 ack 1");
    }
    script.receive(". seq 101 ack 1 len 100 ts 6");
    script.expect(". seq 1 ack 1 sack 101-201,101-201,501-601");
  }

  @Test
  @DisplayName("RFC 2883 4: a full segment with data has no room, so an acknowledgment follows")
  void shouldReportTheDuplicateBehindAFullSegment() {
    Script script = with(". seq 1 ack 1 len 100");
    script.device.put(script.build(". seq 1 ack 1 len 100"));
    script.stack.receive(script.now);
    script.queue(1000);
    script.stack.transmit(script.now);
    script.expect("P. seq 1 ack 101 len 1000 sack -");
    script.expect(". seq 1001 ack 101 sack 1-101");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2883 4: a probe without octets repeats nothing")
  void shouldNotReportAnEmptyProbe() {
    Script script = with(". seq 1 ack 1 len 100");
    script.receive(". seq 100 ack 1");
    script.expect(". seq 1 ack 101 sack -");
  }

  @Test
  @DisplayName("RFC 9293 3.8.4: a keep-alive with an octet is acknowledged, and its octet reported")
  void shouldAnswerAKeepAliveWithAnOctet() {
    Script script = with(". seq 1 ack 1 len 100");
    script.receive(". seq 100 ack 1 len 1");
    script.expect(". seq 1 ack 101 sack 100-101");
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  @DisplayName("RFC 7323 5.3: a segment that PAWS refuses is no duplicate")
  void shouldNotReportWhatPawsRefuses() {
    Script script = selective(Script.plain().withTimestamps(true), " ts 5");
    script.receive(". seq 1 ack 1 len 100 ts 6");
    script.expect(". seq 1 ack 101 ecr 6");
    script.receive(". seq 1 ack 1 len 100 ts 4");
    script.expect(". seq 1 ack 101 ecr 6 sack -");
  }
}
