package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SACK blocks that we send (RFC 2018 sections 3 to 5). */
class SackGenerationTest {
  /** A connection on which both ends have permitted SACK. */
  static Script selective() {
    return selective(Script.plain(), "");
  }

  static Script selective(TcpSettings settings, String options) {
    Script script = new Script(settings.withSelectiveAcknowledgment(true));
    script.connect();
    script.expect("S seq 0 sackok");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000 sackok" + options);
    script.expect(". seq 1 ack 1 sack -");
    script.handler.takeEvents();
    return script;
  }

  private static void receive(Script script, int... sequences) {
    for (int sequence : sequences) {
      script.receive(". seq " + sequence + " ack 1 len 100");
    }
    for (int i = 1; i < sequences.length; i++) {
      script.expect(". seq 1");
    }
  }

  @Test
  @DisplayName("RFC 2018 4: no SACK option while nothing is missing")
  void shouldReportNothingWhileNothingIsMissing() {
    Script script = selective();
    receive(script, 1);
    script.expect(". seq 1 ack 101 sack -");
  }

  @Test
  @DisplayName("RFC 2018 4: a block reports octets behind a gap at once")
  @Tag("MPAA-3-08")
  void shouldReportWhatCameBehindAGap() {
    Script script = selective();
    receive(script, 101);
    script.expect(". seq 1 ack 1 sack 101-201");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 3: a block covers contiguous octets")
  void shouldReportContiguousSegmentsAsOneBlock() {
    Script script = selective();
    receive(script, 101, 201);
    script.expect(". seq 1 ack 1 sack 101-301");
    receive(script, 51);
    script.expect(". seq 1 ack 1 sack 101-151,51-301");
  }

  @Test
  @DisplayName("RFC 2018 4: the first block holds the segment that came last")
  void shouldPutTheLatestBlockFirst() {
    Script script = selective();
    receive(script, 101, 301, 501);
    script.expect(". seq 1 ack 1 sack 501-601,301-401,101-201");
    receive(script, 401);
    script.expect(". seq 1 ack 1 sack 301-601,101-201");
    receive(script, 201);
    script.expect(". seq 1 ack 1 sack 101-601");
  }

  @Test
  @DisplayName("RFC 2018 4: the others follow as they were reported, the latest first")
  void shouldRetransmitTheBlocksReportedBefore() {
    Script script = selective();
    receive(script, 101, 301, 501, 701);
    script.expect(". seq 1 ack 1 sack 701-801,501-601,301-401,101-201");
    receive(script, 201);
    script.expect(". seq 1 ack 1 sack 101-401,701-801,501-601");
    receive(script, 901);
    script.expect(". seq 1 ack 1 sack 901-1001,101-401,701-801,501-601");
  }

  @Test
  @DisplayName("RFC 2018 3: at most four blocks")
  void shouldReportFourBlocksAtMost() {
    Script script = selective();
    receive(script, 101, 301, 501, 701, 901, 1101);
    script.expect(". seq 1 ack 1 sack 1101-1201,901-1001,701-801,501-601");
  }

  @Test
  @DisplayName("RFC 2018 3: at most three blocks beside timestamps")
  void shouldReportThreeBlocksBesideTimestamps() {
    Script script = selective(Script.plain().withTimestamps(true), " ts 5");
    for (int sequence = 101; sequence < 1000; sequence += 200) {
      script.receive(". seq " + sequence + " ack 1 len 100 ts 6");
    }
    assertThat(script.stack.packetsHeld()).isEqualTo(5);
    script.expect(". seq 1 ack 1 ecr 5 sack 101-201");
    script.expect(". seq 1 ack 1 sack 301-401,101-201");
    script.expect(". seq 1 ack 1 sack 501-601,301-401,101-201");
    script.expect(". seq 1 ack 1 sack 701-801,501-601,301-401");
    script.expect(". seq 1 ack 1 sack 901-1001,701-801,501-601");
  }

  @Test
  @DisplayName("RFC 2018 4: acknowledged octets are not reported any more")
  void shouldForgetWhatIsAcknowledged() {
    Script script = selective();
    receive(script, 101, 301);
    script.expect(". seq 1 ack 1 sack 301-401,101-201");
    receive(script, 1);
    script.expect(". seq 1 ack 201 sack 301-401");
    receive(script, 201);
    script.expect(". seq 1 ack 401 sack -");
  }

  @Test
  @DisplayName("RFC 2018 2: no SACK to a peer that has not permitted it")
  void shouldNotReportToAPeerWithoutSack() {
    Script script = new Script(Script.plain().withSelectiveAcknowledgment(true));
    script.connect();
    script.expect("S seq 0 sackok");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    script.expect(". seq 1 ack 1");
    receive(script, 101);
    script.expect(". seq 1 ack 1 sack -");
    receive(script, 101);
    script.expect(". seq 1 ack 1 sack -");
  }

  @Test
  @DisplayName("RFC 2018 4: short segments with data carry SACK too")
  void shouldReportOnShortSegmentsWithData() {
    Script script = selective();
    receive(script, 101);
    script.expect(". seq 1 ack 1 sack 101-201");
    script.send(100);
    script.expect("P. seq 1 ack 1 len 100 sack 101-201");
  }

  @Test
  @DisplayName("RFC 5044 A.1: SACK makes no full segment smaller, so EMSS stays")
  void shouldNotMakeSegmentsSmallerForSack() {
    Script script = selective();
    receive(script, 101, 301);
    script.expect(". seq 1 ack 1 sack 301-401,101-201");
    assertThat(script.stream.emss()).isEqualTo(1000);
    script.send(1000);
    script.expect("P. seq 1 ack 1 len 1000 sack -");
    script.send(1000 - 12);
    script.expect("P. seq 1001 ack 1 len 988 sack 301-401");
    script.send(1000 - 19);
    script.expect("P. seq 1989 ack 1 len 981 sack 301-401");
    script.send(1000 - 20);
    script.expect("P. seq 2970 ack 1 len 980 sack 301-401,101-201");
  }

  @Test
  @DisplayName("RFC 9293 3.5.2: a reset carries no SACK")
  void shouldNotReportInAReset() {
    Script script = selective();
    receive(script, 101);
    script.expect(". seq 1 ack 1 sack 101-201");
    script.stream.abort();
    script.turn();
    script.expect("R. seq 1 ack 1 sack -");
  }

  @Test
  @DisplayName(
      "RFC 2018 8: what was reported is never given up, what cannot be kept is not reported")
  @Tag("MPAA-3-03")
  @Tag("D03-5.1.2-02")
  void shouldNeverRenege() {
    Script script = selective();
    for (int i = 0; i < 300; i++) {
      script.receive(". seq " + (100 + 2 * i) + " ack 1 len 1");
    }
    int kept = script.stack.packetsHeld();
    assertThat(kept).isBetween(1, 299);
    assertThat(script.handler.takeEvents()).hasSize(kept);
    for (int i = 1; i < 300; i++) {
      script.expect(". seq 1 ack 1");
    }
    int last = 100 + 2 * (kept - 1);
    script.expect(
        ". seq 1 ack 1 sack %d-%d,%d-%d,%d-%d,%d-%d"
            .formatted(last, last + 1, last - 2, last - 1, last - 4, last - 3, last - 6, last - 5));
    script.receive(". seq 1 ack 1 len 99");
    script.expect(". seq 1 ack 101");
    for (int i = 0; i < kept; i++) {
      script.receive(". seq " + (101 + 2 * i) + " ack 1 len 1");
    }
    assertThat(script.drain()).isEqualTo(kept);
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.stream.receivePosition()).isEqualTo(last + 1);
  }

  @Test
  @DisplayName("RFC 2018 3: edges are sequence numbers and wrap as they do")
  void shouldReportAcrossTheWrapOfSequenceNumbers() {
    Script script = selective();
    script.receive(". seq 4001 ack 1 len 200");
    script.expect(". seq 1 ack 1 sack 4001-4201");
    script.receive(". seq 4301 ack 1 len 200");
    script.expect(". seq 1 ack 1 sack 4301-4501,4001-4201");
  }

  @Test
  @DisplayName("RFC 2018 3: a FIN that came with early octets is in their block")
  void shouldReportAnEarlyFinWithItsOctets() {
    Script script = selective();
    script.receive("F. seq 101 ack 1 len 100");
    script.expect(". seq 1 ack 1 sack 101-202");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 202 sack -");
    assertThat(script.handler.takeEvents())
        .containsExactly("101+100", "1+100", "edge 201", "peer closed");
  }

  @Test
  @DisplayName("RFC 2018 4: octets beyond the window are not reported")
  void shouldNotReportBeyondTheWindow() {
    Script script = selective(Script.plain().withReceiveBuffer(2048), "");
    script.receive(". seq 1501 ack 1 len 1000");
    script.expect(". seq 1 ack 1 sack 1501-2049");
    assertThat(script.handler.takeEvents()).containsExactly("1501+548");
  }

  @Test
  @DisplayName("RFC 5681 4.2: every segment out of order is acknowledged by itself, at once")
  void shouldAcknowledgeEverySegmentOutOfOrder() {
    Script script = selective(Script.plain().withAcknowledgmentDelay(5000), "");
    script.receiveTogether(". seq 101 ack 1 len 100", ". seq 301 ack 1 len 100");
    script.expect(". seq 1 ack 1 sack 101-201");
    script.expect(". seq 1 ack 1 sack 301-401,101-201");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 5681 4.2: a segment that fills part of a gap is acknowledged at once")
  void shouldAcknowledgeAtOnceWhatFillsAGap() {
    Script script = selective(Script.plain().withAcknowledgmentDelay(5000), "");
    receive(script, 201);
    script.expect(". seq 1 ack 1 sack 201-301");
    receive(script, 1);
    script.expect(". seq 1 ack 101 sack 201-301");
    receive(script, 101);
    script.expect(". seq 1 ack 301 sack -");
  }
}
