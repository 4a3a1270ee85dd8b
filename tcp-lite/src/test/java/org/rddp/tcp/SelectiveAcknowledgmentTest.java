package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.inFlight;
import static org.rddp.tcp.LossScript.sack;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SACK blocks at the sender, valid and invalid. */
class SelectiveAcknowledgmentTest {
  @Test
  @Tag("MPAA-1-08")
  @DisplayName("RFC 2018 5: only the missing segment is sent again, unchanged")
  void shouldRepairASingleLoss() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 5001");
    script.pass(10 * Script.SECOND);
    script.expectNothing();
    assertThat(script.stack.counters().retransmitted).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 2018 5: two holes are repaired at once, without waiting for a partial ACK")
  void shouldRepairTwoHoles() {
    Script script = inFlight(sack(), 6);
    script.receive(". seq 1 ack 1 sack 4001-6001,1001-3001");
    script.expect(". seq 1 len 1000");
    script.expect(". seq 3001 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 3001 sack 4001-6001");
    script.expectNothing();
    script.receive(". seq 1 ack 6001");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  @DisplayName("RFC 2018 5: after a timeout segments acknowledged by SACK are not sent again")
  void shouldNotRetransmitWhatIsSackedAfterATimeout() {
    Script script = inFlight(sack(), 4);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.pass(ROUND_TRIP);
    assertThat(script.drain()).isEqualTo(1);
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 2001");
    script.expect(". seq 2001 len 1000");
    script.expect("P. seq 3001 len 1000");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 8: segments that a peer has reneged on are sent again")
  void shouldSurviveAPeerThatReneges() {
    Script script = inFlight(sack(), 3);
    script.receive(". seq 1 ack 1 sack 1-3001");
    script.expectNothing();
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    assertThat(script.stack.counters().loss.reneged).isEqualTo(1);
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    script.expect("P. seq 2001 len 1000");
  }

  @Test
  @DisplayName("RFC 2018 5: a block that a peer takes back is forgotten when the timer has expired")
  void shouldRetransmitWhatWasReportedFirst() {
    Script script = inFlight(sack(), 3);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.pass(ROUND_TRIP);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001 sack 2001-3001");
    script.pass(ROUND_TRIP);
    script.drain();
    script.pass(2 * TIMEOUT);
    script.expect(". seq 1001 len 1000");
  }

  @Test
  @DisplayName("RFC 2018 5: a block of octets never sent is ignored")
  void shouldIgnoreABlockBeyondWhatWasSent() {
    Script script = inFlight(sack(), 3);
    script.receive(". seq 1 ack 1 sack 3001-4001");
    script.receive(". seq 1 ack 1 sack 1001-90001");
    script.pass(ROUND_TRIP / 2);
    script.expectNothing();
    assertThat(script.stack.counters().loss.recoveries).isZero();
  }

  @Test
  @DisplayName("RFC 2018 5: a block that ends before it begins is ignored")
  void shouldIgnoreABlockInReverse() {
    Script script = inFlight(sack(), 3);
    script.receive(". seq 1 ack 1 sack 2001-1001");
    script.receive(". seq 1 ack 1 sack 1001-1001");
    script.pass(ROUND_TRIP / 2);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 5: a segment counts as received only when all of it is")
  void shouldNotTakeAPartForASegment() {
    Script script = inFlight(sack(), 3);
    script.receive(". seq 1 ack 1 sack 1501-2501");
    script.pass(ROUND_TRIP / 2);
    script.expectNothing();
    script.pass(TIMEOUT);
    script.expect("P. seq 2001 len 1000");
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    script.expect("P. seq 2001 len 1000");
  }

  @Test
  @DisplayName("RFC 2018 5: blocks that overlap count once")
  void shouldCountOverlappingBlocksOnce() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 1001-3001,1001-2001,2001-3001");
    script.expectNothing();
    script.receive(". seq 1 ack 1 sack 1001-4001,2001-4001");
    script.expect(". seq 1 len 1000");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 5: of a block that began before the acknowledgment the rest counts")
  void shouldTakeTheRestOfABlock() {
    Script script = inFlight(sack(), 4);
    script.receive(". seq 1 ack 1001 sack 501-1501,1-4001");
    script.pass(TIMEOUT + ROUND_TRIP);
    script.expect(". seq 1001 len 1000");
    assertThat(script.stack.counters().loss.reneged).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 2018 3: the blocks count also in a segment with data")
  void shouldTakeBlocksFromDataSegments() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 len 10 sack 1001-4001");
    script.expect(". seq 1 len 1000");
  }

  @Test
  @DisplayName("RFC 2018 2: blocks that were not negotiated are ignored")
  void shouldIgnoreBlocksThatWereNotNegotiated() {
    Script script = inFlight(Script.plain(), 5);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expectNothing();
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 3: duplicates without blocks are no loss where blocks are agreed on")
  void shouldNotCountBareDuplicates() {
    Script script = inFlight(sack(), 5);
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 4: holes are known also when all acknowledgments but the last were lost")
  void shouldFindAllHolesFromOneAcknowledgment() {
    Script script = inFlight(sack(), 10);
    script.receive(". seq 1 ack 2001 sack 9001-10001,6001-8001,3001-5001");
    script.expect(". seq 2001 len 1000");
    script.expect(". seq 5001 len 1000");
    script.expect(". seq 8001 len 1000");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 4: blocks of earlier acknowledgments stay known")
  void shouldRememberBlocks() {
    Script script = inFlight(sack(), 10);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.receive(". seq 1 ack 1 sack 3001-4001");
    script.receive(". seq 1 ack 1 sack 5001-10001");
    script.expect(". seq 1 len 1000");
    script.expect(". seq 2001 len 1000");
    script.expect(". seq 4001 len 1000");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 4: a hole within a block that had been two is filled")
  void shouldSeeAHoleFilled() {
    Script script = inFlight(sack(), 6);
    script.receive(". seq 1 ack 1 sack 1001-2001,3001-4001");
    script.receive(". seq 1 ack 1 sack 1001-6001");
    script.pass(ROUND_TRIP);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 6001");
    script.pass(TIMEOUT);
    script.expectNothing();
    assertThat(script.stack.counters().retransmitted).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 2883 4: a first block below the acknowledgment is a D-SACK")
  void shouldReportADsack() {
    Script script = inFlight(sack(), 3);
    script.receive(". seq 1 ack 2001 sack 1001-2001");
    assertThat(script.stack.counters().loss.duplicatesReported).isEqualTo(1);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2883 4.1: so does a first block within the second")
  void shouldReportADsackWithinABlock() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 2001-3001,1001-4001");
    assertThat(script.stack.counters().loss.duplicatesReported).isEqualTo(1);
    script.expect(". seq 1 len 1000");
  }

  @Test
  @DisplayName("RFC 2883 4: a D-SACK of old octets is ignored")
  void shouldIgnoreAnOldDsack() {
    Script script = LossScript.established(sack());
    for (int i = 0; i < 80; i++) {
      script.send(1000);
      script.receive(". seq 1 ack " + (1001 + i * 1000));
    }
    script.drain();
    script.send(1000);
    script.receive(". seq 1 ack 80001 sack 1-1001");
    assertThat(script.stack.counters().loss.duplicatesReported).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.8.1: a FIN that the peer has behind a gap is not sent again")
  void shouldNotRetransmitASackedFin() {
    Script script = inFlight(sack(), 2);
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 2001");
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 1 sack 1001-2002");
    script.pass(ROUND_TRIP);
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 2002");
    assertThat(((TcpConnection) script.stream).state()).isEqualTo(TcpState.FIN_WAIT_2);
  }

  @Test
  @DisplayName("RFC 9293 3.8.1: a FIN that is lost is found by its position like any octet")
  void shouldRetransmitALostFin() {
    Script script = inFlight(sack(), 2);
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 2001");
    script.receive(". seq 1 ack 2001");
    script.expectNothing();
    script.pass(TIMEOUT);
    script.expect("F. seq 2001");
    script.receive(". seq 1 ack 2002");
    assertThat(((TcpConnection) script.stream).state()).isEqualTo(TcpState.FIN_WAIT_2);
  }

  @Test
  @DisplayName("RFC 6298 3: no round trip is taken from a segment that was sent twice")
  void shouldNotMeasureRetransmissions() {
    Script script = inFlight(sack(), 4);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
    long before = ((TcpConnection) script.stream).roundTrip();
    script.pass(100 * Script.MILLISECOND);
    script.receive(". seq 1 ack 4001");
    assertThat(((TcpConnection) script.stream).roundTrip()).isEqualTo(before);
  }

  @Test
  @DisplayName("RFC 6298 3: a segment that is reported behind a gap gives a round trip")
  void shouldMeasureByBlocks() {
    Script script = inFlight(sack(), 4);
    script.pass(30 * Script.MILLISECOND);
    script.drain();
    script.receive(". seq 1 ack 1 sack 1001-2001");
    assertThat(((TcpConnection) script.stream).roundTrip()).isGreaterThan(ROUND_TRIP);
  }
}
