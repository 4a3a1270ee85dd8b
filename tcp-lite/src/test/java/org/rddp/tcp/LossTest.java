package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Memory;

/** Segments that get lost: RFC 6298, RFC 5681, RFC 6582, RFC 3042. */
class LossTest {
  private static final long TIMEOUT = 200 * Script.MILLISECOND;

  /** An established connection with that many segments of 1000 octets in flight. */
  private static Script inFlight(int segments) {
    Script script = Script.established();
    for (int i = 0; i < segments; i++) {
      script.queue(1000);
    }
    script.turn();
    for (int i = 0; i < segments; i++) {
      script.expect(". seq " + (1 + i * 1000) + " len 1000");
    }
    return script;
  }

  @Test
  @Tag("MPAA-1-08")
  @Tag("D03-7.3-05")
  void shouldSendTheSameSegmentAgainAfterTheTimeout() {
    Script script = Script.established();
    script.send(700);
    script.expect("P. seq 1 len 700");
    script.pass(TIMEOUT - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("P. seq 1 ack 1 len 700");
    script.expectNothing();
    assertThat(script.stack.counters().timeouts).isEqualTo(1);
    assertThat(script.stack.counters().retransmitted).isEqualTo(1);
  }

  @Test
  void shouldDoubleTheTimeoutEachTime() {
    Script script = Script.established();
    script.send(100);
    script.expect("P. seq 1 len 100");
    for (long wait = TIMEOUT; wait < 20 * Script.SECOND; wait *= 2) {
      script.pass(wait - 1);
      script.expectNothing();
      script.pass(1);
      script.expect("P. seq 1 len 100");
    }
  }

  @Test
  void shouldReportEachTimeoutAndHowManyCameBeforeIt() {
    Script script = Script.established();
    List<String> reports = new ArrayList<>();
    script.stack.reportTimeoutsTo(
        (connection, timeout, earlier) -> reports.add(timeout + " ns, " + earlier + " earlier"));
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.pass(TIMEOUT);
    script.expect("P. seq 1 len 100");
    script.pass(2 * TIMEOUT);
    script.expect("P. seq 1 len 100");

    assertThat(reports).containsExactly(TIMEOUT + " ns, 0 earlier", 2 * TIMEOUT + " ns, 1 earlier");
  }

  @Test
  void shouldStartTheTimerAgainWhenNewDataIsAcknowledged() {
    Script script = inFlight(2);
    script.pass(TIMEOUT - 1);
    script.receive(". seq 1 ack 1001");
    script.pass(TIMEOUT - 1);
    script.expectNothing();
    // The round trip was just under 200 ms: 0.2 s of it, and four times half of that.
    script.pass(3 * TIMEOUT);
    script.expect("P. seq 1001 len 1000");
  }

  @Test
  void shouldStopTheTimerWhenEverythingIsAcknowledged() {
    Script script = inFlight(2);
    script.receive(". seq 1 ack 2001");
    script.pass(100 * Script.SECOND);
    script.expectNothing();
    assertThat(script.stack.nextDeadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  @Tag("MPAA-1-08")
  void shouldGoBackAndStartSlowlyAfterATimeout() {
    Script script = inFlight(5);
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    script.expect(". seq 2001 len 1000");
    script.expectNothing();
  }

  @Test
  void shouldSkipWhatThePeerHadWhenItGoesBack() {
    Script script = inFlight(5);
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 4001");
    script.expect("P. seq 4001 len 1000");
    script.expectNothing();
  }

  @Test
  void shouldRetransmitAtTheThirdDuplicateAcknowledgment() {
    Script script = inFlight(5);
    script.receive(". seq 1 ack 1");
    script.receive(". seq 1 ack 1");
    script.expectNothing();
    script.receive(". seq 1 ack 1");
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    assertThat(script.stack.counters().fastRetransmits).isEqualTo(1);
    script.receive(". seq 1 ack 5001");
    script.pass(10 * Script.SECOND);
    script.expectNothing();
  }

  @Test
  void shouldSendNewDataOnTheFirstTwoDuplicates() {
    Script script = Script.established();
    for (int i = 0; i < 14; i++) {
      script.queue(1000);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(10);
    script.receive(". seq 1 ack 1");
    script.expect(". seq 10001 len 1000");
    script.receive(". seq 1 ack 1");
    script.expect(". seq 11001 len 1000");
    script.receive(". seq 1 ack 1");
    script.expect(". seq 1 len 1000");
    script.expectNothing();
  }

  @Test
  void shouldSendNewDataAsMoreDuplicatesArrive() {
    Script script = Script.established();
    for (int i = 0; i < 14; i++) {
      script.queue(1000);
    }
    script.turn();
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    assertThat(script.drain()).isEqualTo(13);
    // The window was 10 and becomes 5; of the 12 in flight five replace those that have left.
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    script.expectNothing();
    script.receive(". seq 1 ack 1");
    script.expect(". seq 12001 len 1000");
  }

  @Test
  void shouldRetransmitTheNextHoleOnAPartialAcknowledgment() {
    Script script = inFlight(8);
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 3001");
    script.expect(". seq 3001 len 1000");
    script.receive(". seq 1 ack 5001");
    script.expect(". seq 5001 len 1000");
    script.expectNothing();
    assertThat(script.stack.counters().fastRetransmits).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 6582 3.2: an acknowledgment of a part of the first segment is no new hole")
  void shouldNotRetransmitASegmentThatArrivesInPieces() {
    Script script = inFlight(5);
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 501");
    script.expectNothing();
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
  }

  @Test
  void shouldHalveTheWindowAfterRecovery() {
    Script script = inFlight(10);
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 10001");
    for (int i = 0; i < 10; i++) {
      script.queue(1000);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(5);
  }

  @Test
  void shouldNotCountAcknowledgmentsWithDataOrWithAnotherWindowAsDuplicates() {
    Script script = inFlight(5);
    script.receive(". seq 1 ack 1 win 60000");
    script.receive(". seq 1 ack 1 win 61000");
    script.receive(". seq 1 ack 1 win 62000");
    script.receive(". seq 1 ack 1 win 62000 len 1");
    script.expect(". seq 5001 ack 2");
    script.receive(". seq 2 ack 1 win 62000 len 1");
    script.expect(". seq 5001 ack 3");
    script.receive(". seq 3 ack 1 win 62000 len 1");
    script.expect(". seq 5001 ack 4");
    assertThat(script.stack.counters().duplicateAcknowledgments).isZero();
  }

  @Test
  void shouldNotCountDuplicatesWithNothingInFlight() {
    Script script = Script.established();
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    assertThat(script.stack.counters().duplicateAcknowledgments).isZero();
  }

  @Test
  void shouldNotRetransmitFastForDuplicatesOfWhatATimeoutSentAgain() {
    Script script = inFlight(5);
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    assertThat(script.stack.counters().fastRetransmits).isZero();
  }

  @Test
  void shouldRetransmitFastWhenWhatATimeoutSentAgainIsLostAgain() {
    Script script = inFlight(8);
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    script.expect(". seq 2001 len 1000");
    script.receiveTogether(". seq 1 ack 1001", ". seq 1 ack 1001", ". seq 1 ack 1001");
    script.drain();
    assertThat(script.stack.counters().fastRetransmits).isEqualTo(1);
  }

  @Test
  void shouldSendACopyWhileTheDeviceHoldsThePacket() {
    Script script = Script.established();
    script.device.keeps = true;
    script.send(700);
    script.expect("P. seq 1 len 700");
    script.pass(TIMEOUT);
    script.expect("P. seq 1 len 700");
    assertThat(script.stack.counters().copied).isEqualTo(1);
    script.device.letGo();
    script.pass(2 * TIMEOUT);
    script.expect("P. seq 1 len 700");
    assertThat(script.stack.counters().copied).isEqualTo(1);
    script.device.letGo();
    script.receive(". seq 1 ack 701");
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  void shouldNeverWriteAPacketThatTheUserKeeps() {
    Script script = Script.established();
    long packet = script.stream.allocate();
    long address = script.pool.address(packet);
    script.pool.window(packet, address, 2);
    Memory.putShort(address, 0x0102);
    script.pool.retain(packet);
    script.stream.send(packet);
    script.turn();
    script.expect("P. seq 1 len 2");
    assertThat(script.pool.address(packet)).isEqualTo(address);
    script.pool.release(packet);
  }

  @Test
  void shouldAcknowledgeAnewInARetransmission() {
    Script script = Script.established();
    script.send(700);
    script.expect("P. seq 1 ack 1 len 700");
    script.receive(". seq 1 ack 1 len 30");
    script.expect(". seq 701 ack 31");
    script.pass(TIMEOUT);
    script.expect("P. seq 1 ack 31 len 700");
  }

  @Test
  void shouldGiveUpAPeerThatAcknowledgesNothing() {
    Script script = Script.established();
    script.send(100);
    for (int i = 0; i < 130; i++) {
      script.pass(Script.SECOND);
    }
    assertThat(script.handler.takeEvents()).containsExactly("closed TIMEOUT");
    assertThat(script.stack.counters().timedOut).isEqualTo(1);
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  void shouldNotGiveUpAPeerThatHasShutItsWindowOverDataInFlight() {
    Script script = inFlight(1);
    for (int i = 0; i < 200; i++) {
      script.receive(". seq 1 ack 1 win 0");
      script.pass(Script.SECOND);
    }
    assertThat(script.handler.takeEvents()).isEmpty();
    script.drain();
    script.receive(". seq 1 ack 1001 win 65535");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  void shouldRetransmitTheFinAfterTheTimeout() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.pass(TIMEOUT);
    script.expect("F. seq 1 ack 1");
    script.pass(2 * TIMEOUT);
    script.expect("F. seq 1 ack 1");
  }

  @Test
  void shouldSendDataAndFinAgainWhenBothAreLost() {
    Script script = Script.established();
    script.queue(100);
    script.stream.closeSend();
    script.turn();
    script.expect("P. seq 1 len 100");
    script.expect("F. seq 101");
    script.pass(TIMEOUT);
    script.expect("P. seq 1 len 100");
    script.receive(". seq 1 ack 101");
    script.expect("F. seq 101");
    script.receive(". seq 1 ack 102");
    assertThat(((TcpConnection) script.stream).state()).isEqualTo(TcpState.FIN_WAIT_2);
  }

  @Test
  void shouldTakeTheRoundTripFromTimestampsWhenTheSegmentWasSentTwice() {
    Script script = new Script(Script.plain().withWindowScale(false).withTimestamps(true));
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1012 ts 1000");
    script.expect(". seq 1 ack 1");
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.pass(TIMEOUT);
    script.expect("P. seq 1 len 100");
    script.pass(Script.MILLISECOND);
    int stamp = ((TcpConnection) script.stream).timestamp();
    script.receive(". seq 1 ack 101 ts 1300 ecr " + (stamp - 1));
    script.send(100);
    script.expect("P. seq 101 len 100");
    // Backed off no longer: there is a new measurement.
    script.pass(TIMEOUT);
    script.expect("P. seq 101 len 100");
  }
}
