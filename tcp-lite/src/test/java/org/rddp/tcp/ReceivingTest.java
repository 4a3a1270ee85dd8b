package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Segments that arrive: order, window, timestamps (RFC 9293 section 3.10.7.4, RFC 7323). */
class ReceivingTest {
  @Test
  void shouldHandUpOctetsAndAcknowledgeThem() {
    Script script = Script.established();
    script.receive("P. seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100");
    script.expect(". seq 1 ack 101 win 19900");
    script.expectNothing();
  }

  @Test
  void shouldAcknowledgeOncePerBurst() {
    Script script = Script.established();
    script.receiveTogether(
        ". seq 1 ack 1 len 100", ". seq 101 ack 1 len 100", ". seq 201 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "101+100", "201+100");
    script.expect(". seq 1 ack 301");
    script.expectNothing();
  }

  @Test
  void shouldLetTheAcknowledgmentRideOnData() {
    Script script = Script.established();
    script.handler.events.clear();
    script.device.put(script.build(". seq 1 ack 1 len 100"));
    script.stack.receive(script.now);
    script.queue(50);
    script.stack.transmit(script.now);
    script.expect("P. seq 1 ack 101 len 50");
    script.expectNothing();
  }

  private static Script patient() {
    return Script.established(Script.plain().withAcknowledgmentDelay(5000));
  }

  @Test
  void shouldLetTheAcknowledgmentWaitForDataToRideOn() {
    Script script = patient();
    script.receive(". seq 1 ack 1 len 100");
    script.expectNothing();
    script.pass(4999);
    script.expectNothing();
    script.send(50);
    script.expect("P. seq 1 ack 101 len 50");
    script.pass(5000);
    script.expectNothing();
  }

  @Test
  void shouldNotLetTheAcknowledgmentWaitForLong() {
    Script script = patient();
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.stack.nextDeadline()).isEqualTo(script.now + 5000);
    script.pass(5000);
    script.expect(". seq 1 ack 101");
    script.pass(5000);
    script.expectNothing();
  }

  @Test
  void shouldAcknowledgeEverySecondSegmentAtOnce() {
    Script script = patient();
    script.receive(". seq 1 ack 1 len 100");
    script.receive(". seq 101 ack 1 len 100");
    script.expect(". seq 1 ack 201");
    script.receiveTogether(". seq 201 ack 1 len 100", ". seq 301 ack 1 len 100");
    script.expect(". seq 1 ack 401");
    script.expectNothing();
  }

  @Test
  void shouldNotLetTheAcknowledgmentWaitWhenSomethingIsMissingOrCameBefore() {
    Script script = patient();
    script.receive(". seq 101 ack 1 len 100");
    script.expect(". seq 1 ack 1");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 201");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 201");
    script.receive("F. seq 201 ack 1 len 100");
    script.expect(". seq 1 ack 302");
  }

  @Test
  void shouldNotAcknowledgeAnAcknowledgment() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1");
    script.expectNothing();
  }

  @Test
  @Tag("MPAA-3-04")
  @Tag("D03-5.1.2-03")
  void shouldHandUpWhatComesBeforeItsTurnAndAskForTheRestAtOnce() {
    Script script = Script.established();
    script.receiveTogether(". seq 101 ack 1 len 100", ". seq 201 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("101+100", "201+100");
    script.expect(". seq 1 ack 1");
    script.expect(". seq 1 ack 1");
    assertThat(script.stack.packetsHeld()).isEqualTo(2);
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "edge 301");
    script.expect(". seq 1 ack 301");
    assertThat(script.stack.counters().outOfOrder).isEqualTo(2);
    assertThat(script.stack.packetsHeld()).isZero();
  }

  @Test
  void shouldFillSeveralGapsInAnyOrder() {
    Script script = Script.established();
    script.receive(". seq 401 ack 1 len 100");
    script.receive(". seq 201 ack 1 len 100");
    script.receive(". seq 301 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("401+100", "201+100", "301+100");
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100");
    script.receive(". seq 101 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("101+100", "edge 501");
  }

  @Test
  @Tag("MPAA-3-04")
  @Tag("D03-5.1.2-03")
  void shouldHandUpNoOctetTwiceWhenSegmentsOverlap() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 len 100");
    script.receive(". seq 51 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "101+50");
    script.receive(". seq 201 ack 1 len 100");
    script.receive(". seq 181 ack 1 len 200");
    script.receive(". seq 151 ack 1 len 40");
    assertThat(script.handler.takeEvents())
        .containsExactly("201+100", "181+20", "301+80", "151+30", "edge 381");
  }

  @Test
  @Tag("MPAA-3-04")
  @Tag("D03-5.1.2-03")
  void shouldKeepTheFirstOfOctetsThatComeTwiceBeforeTheirTurn() {
    Script script = Script.established();
    script.receive(". seq 101 ack 1 len 100");
    byte[] other = script.build(". seq 101 ack 1 len 100");
    script.device.put(other);
    script.turn();
    assertThat(script.handler.takeEvents()).containsExactly("101+100");
    assertThat(script.stack.packetsHeld()).isEqualTo(1);
    assertThat(script.stack.counters().duplicates).isEqualTo(1);
  }

  @Test
  void shouldAcknowledgeWhatCameBeforeAgain() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 101");
    script.handler.takeEvents();
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 101");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().duplicates).isEqualTo(1);
  }

  @Test
  void shouldCutWhatLiesBeyondTheWindow() {
    Script script = Script.established(Script.plain().withReceiveBuffer(2048));
    script.handler.consumes = false;
    script.receive(". seq 1 ack 1 len 1000");
    script.receive(". seq 1001 ack 1 len 1460");
    assertThat(script.handler.takeEvents()).containsExactly("1+1000", "1001+1048");
    script.expect(". seq 1 ack 1001 win 1048");
    script.expect(". seq 1 ack 2049 win 0");
  }

  @Test
  @Tag("MPAA-3-02")
  void shouldDropASegmentOutsideOfTheWindowAndSayWhereWeAre() {
    Script script = Script.established();
    script.receive(". seq 20001 ack 1 len 10");
    script.expect(". seq 1 ack 1");
    script.receive(". seq -5000 ack 1 len 10");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().unacceptable).isEqualTo(1);
    assertThat(script.stack.counters().duplicates).isEqualTo(1);
  }

  @Test
  void shouldTakeTheAcknowledgmentOfAPeerThatHasFilledTheWindow() {
    Script script = Script.established();
    script.send(10);
    script.expect("P. seq 1 len 10");
    script.receive(". seq 20001 ack 11");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  void shouldDropASegmentWithoutAcknowledgment() {
    Script script = Script.established();
    script.receive("P seq 1 len 10");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.expectNothing();
  }

  @Test
  void shouldTreatUrgentOctetsAsAnyOther() {
    Script script = Script.established();
    script.receive("UP. seq 1 ack 1 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("1+10");
  }

  @Test
  void shouldCloseTheWindowWhileTheUserKeepsOctets() {
    Script script = Script.established();
    script.handler.consumes = false;
    script.receive(". seq 1 ack 1 len 1000");
    script.expect(". seq 1 ack 1001 win 19000");
    script.receive(". seq 1001 ack 1 len 1000");
    script.expect(". seq 1 ack 2001 win 18000");
  }

  @Test
  void shouldAnnounceTheWindowAgainOnlyWhenItOpensByTwoSegments() {
    Script script = Script.established();
    script.handler.consumes = false;
    script.receive(". seq 1 ack 1 len 1000");
    script.receive(". seq 1001 ack 1 len 1000");
    script.receive(". seq 2001 ack 1 len 1000");
    assertThat(script.drain()).isEqualTo(3);
    script.stream.consumed(1999);
    script.turn();
    script.expectNothing();
    script.stream.consumed(1);
    script.turn();
    script.expect(". seq 1 ack 3001 win 19000");
  }

  @Test
  void shouldNotOpenTheWindowByLessThanASegment() {
    Script script = Script.established();
    script.handler.consumes = false;
    script.receive(". seq 1 ack 1 len 1000");
    script.expect(". seq 1 ack 1001 win 19000");
    script.stream.consumed(500);
    script.receive(". seq 1001 ack 1 len 100");
    script.expect(". seq 1 ack 1101 win 18900");
    script.stream.consumed(500);
    script.receive(". seq 1101 ack 1 len 100");
    script.expect(". seq 1 ack 1201 win 19800");
  }

  @Test
  void shouldNeverMoveTheRightEdgeOfAScaledWindowBack() {
    TcpSettings settings =
        TcpSettings.DEFAULTS
            .withWindowScale(true)
            .withTimestamps(false)
            .withEcn(false)
            .withReceiveBuffer(1_000_003);
    Script script = new Script(settings);
    script.handler.consumes = false;
    script.connect();
    script.expect("S seq 0 ws 4 win 65535");
    script.receive("S. seq 0 ack 1 ws 0 mss 1000");
    script.expect(". seq 1 ack 1 win 62500");
    script.receive(". seq 1 ack 1 len 1");
    script.expect(". seq 1 ack 2 win 62500");
    script.receive(". seq 2 ack 1 len 16");
    script.expect(". seq 1 ack 18 win 62499");
  }

  @Test
  void shouldBoundWhatItHoldsBeforeItsTurn() {
    Script script = Script.established();
    for (int i = 0; i < 300; i++) {
      script.receive(". seq " + (100 + 2 * i) + " ack 1 len 1");
    }
    assertThat(script.stack.packetsHeld()).isEqualTo(64);
    assertThat(script.stack.counters().outOfOrderDropped).isEqualTo(236);
    assertThat(script.handler.takeEvents()).hasSize(64);
    script.receive(". seq 1 ack 1 len 99");
    assertThat(script.handler.takeEvents()).containsExactly("1+99", "edge 101");
    assertThat(script.stack.packetsHeld()).isEqualTo(63);
  }

  private static Script stamped() {
    Script script = new Script(Script.plain().withWindowScale(false).withTimestamps(true));
    script.connect();
    script.expect("S seq 0 ecr 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1012 ts 1000");
    script.expect(". seq 1 ack 1 ecr 1000");
    script.handler.takeEvents();
    return script;
  }

  @Test
  void shouldEchoTheTimestampOfTheSegmentAcknowledged() {
    Script script = stamped();
    script.receive(". seq 1 ack 1 len 10 ts 1005");
    script.expect(". seq 1 ack 11 ecr 1005");
  }

  @Test
  void shouldNotEchoTheTimestampOfASegmentBeforeItsTurn() {
    Script script = stamped();
    script.receive(". seq 101 ack 1 len 10 ts 1005");
    script.expect(". seq 1 ack 1 ecr 1000");
  }

  @Test
  @Tag("MPAA-3-02")
  void shouldRefuseAnOldTimestamp() {
    Script script = stamped();
    script.receive(". seq 1 ack 1 len 10 ts 1005");
    script.expect(". seq 1 ack 11 ecr 1005");
    script.handler.takeEvents();
    script.receive(". seq 11 ack 1 len 10 ts 1004");
    script.expect(". seq 1 ack 11 ecr 1005");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().oldTimestamps).isEqualTo(1);
  }

  @Test
  void shouldAcceptAnOldTimestampAfterTwentyFourDays() {
    Script script = stamped();
    script.pass(25L * 24 * 3600 * Script.SECOND);
    script.receive(". seq 1 ack 1 len 10 ts 900");
    assertThat(script.handler.takeEvents()).containsExactly("1+10");
  }

  @Test
  void shouldDropASegmentThatLacksItsTimestampButNotAReset() {
    Script script = stamped();
    script.receive(". seq 1 ack 1 len 10");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.receive("R seq 1");
    assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
  }

  @Test
  void shouldCountAndDropWrongChecksumsAndImpossibleLengths() {
    Script script = Script.established();
    byte[] frame = script.build(". seq 1 ack 1 len 10");
    frame[frame.length - 1] ^= 1;
    script.device.put(frame);
    byte[] offset = script.build(". seq 1 ack 1 len 10");
    offset[46] = (byte) 0xf0;
    script.device.put(offset);
    byte[] option = script.build(". seq 1 ack 1 mss 10 len 10");
    option[55] = 9;
    script.device.put(option);
    script.turn();
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().checksumErrors).isEqualTo(1);
    assertThat(script.stack.counters().malformed).isEqualTo(2);
  }
}
