package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.burst;
import static org.rddp.tcp.LossScript.inFlight;
import static org.rddp.tcp.LossScript.sack;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Detection and undoing of spurious retransmissions. */
class SpuriousRetransmissionTest {
  private static long undone(Script script) {
    return script.stack.counters().loss.undone;
  }

  /** Ten segments were in flight, and the first was sent again. */
  private static Script sentAgain() {
    Script script = inFlight(sack(), 10);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
    return script;
  }

  /** A later acknowledgment may have overtaken the one with the D-SACK: then it is of less. */
  @ParameterizedTest
  @ValueSource(ints = {10_001, 4001})
  @DisplayName("RFC 3708 2, RFC 2883 5: a recovery whose retransmissions all came twice is undone")
  void shouldUndoByDsack(int acknowledged) {
    Script script = sentAgain();
    script.receive(". seq 1 ack 10001");
    script.receive(". seq 1 ack " + acknowledged + " sack 1-1001");
    assertThat(undone(script)).isEqualTo(1);
    assertThat(burst(script)).isGreaterThanOrEqualTo(10);
  }

  @Test
  @DisplayName("RFC 2018: SACK blocks of an acknowledgment that was overtaken say nothing new")
  void shouldIgnoreOtherBlocksOfAnOldAcknowledgment() {
    Script script = sentAgain();
    script.receive(". seq 1 ack 6001");
    script.receive(". seq 1 ack 1 sack 7001-10001,1001-4001");
    script.pass(ROUND_TRIP);
    script.expectNothing();
    assertThat(undone(script)).isZero();
  }

  @Test
  @DisplayName("RFC 3708 2: a recovery of which one retransmission was needed is not undone")
  void shouldNotUndoWhenOneWasNeeded() {
    Script script = inFlight(sack(), 10);
    script.receive(". seq 1 ack 1 sack 1001-4001,5001-8001");
    script.expect(". seq 1 len 1000");
    script.expect(". seq 4001 len 1000");
    script.receive(". seq 1 ack 10001");
    script.receive(". seq 1 ack 10001 sack 1-1001");
    assertThat(undone(script)).isZero();
    assertThat(burst(script)).isLessThanOrEqualTo(5);
  }

  @Test
  @DisplayName("RFC 3708 2: a D-SACK of octets before the recovery does not count")
  void shouldNotCountForeignDsacks() {
    Script script = inFlight(sack(), 10);
    script.receive(". seq 1 ack 2001");
    script.receive(". seq 1 ack 2001 sack 3001-6001");
    script.expect(". seq 2001 len 1000");
    script.receive(". seq 1 ack 10001 sack 1-1001");
    assertThat(undone(script)).isZero();
  }

  @Test
  @DisplayName("RFC 3708 2: a timeout whose retransmission came twice is undone, also when idle")
  void shouldUndoATimeoutByDsack() {
    Script script = inFlight(sack(), 2);
    script.pass(TIMEOUT);
    script.expect("P. seq 1001 len 1000");
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 2001");
    script.receive(". seq 1 ack 2001 sack 1001-2001");
    assertThat(undone(script)).isZero();
    script.receive(". seq 1 ack 2001 sack 1-1001");
    assertThat(undone(script)).isEqualTo(1);
    assertThat(burst(script)).isGreaterThanOrEqualTo(10);
  }

  @Test
  @DisplayName("RFC 6298 5.1: the first segment after a wait for a D-SACK has a whole timeout")
  void shouldRestartTheTimeoutForTheFirstSegmentAfterAWaitForADsack() {
    Script script = sentAgain();
    script.receive(". seq 1 ack 10001");
    script.pass(TIMEOUT - 5 * Script.MILLISECOND);
    script.send(1000);
    script.expect("P. seq 10001 len 1000");
    script.pass(5 * Script.MILLISECOND);
    script.expectNothing();
    assertThat(script.stack.counters().timeouts).isZero();
  }

  private static Script stamped(int segments, long[] stamp) {
    Script script = new Script(sack().withTimestamps(true));
    script.connect();
    script.expect("S seq 0");
    script.pass(ROUND_TRIP);
    script.receive("S. seq 0 ack 1 win 65535 mss 1012 ts 1000 sackok");
    script.expect(". seq 1 ack 1");
    LossScript.queue(script, segments);
    script.turn();
    script.drain();
    stamp[0] = ((TcpConnection) script.stream).timestamp();
    script.pass(ROUND_TRIP);
    return script;
  }

  @Test
  @DisplayName("RFC 3522 3.2: an acknowledgment that echoes the original undoes a timeout")
  void shouldUndoATimeoutByTimestamp() {
    long[] stamp = new long[1];
    Script script = stamped(10, stamp);
    script.pass(ROUND_TRIP);
    script.pass(TIMEOUT);
    script.drain();
    assertThat(script.stack.counters().timeouts).isEqualTo(1);
    script.receive(". seq 1 ack 1001 ts 1300 ecr " + (int) stamp[0]);
    assertThat(undone(script)).isEqualTo(1);
    script.expectNothing();
    script.receive(". seq 1 ack 10001 ts 1300 ecr " + (int) stamp[0]);
    assertThat(burst(script)).isGreaterThanOrEqualTo(10);
  }

  @Test
  @DisplayName("RFC 3522 3.2: one that echoes the retransmission does not")
  void shouldNotUndoWhenTheRetransmissionWasNeeded() {
    long[] stamp = new long[1];
    Script script = stamped(10, stamp);
    script.pass(ROUND_TRIP);
    script.pass(TIMEOUT);
    script.drain();
    int again = ((TcpConnection) script.stream).timestamp();
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 1001 ts 1300 ecr " + again);
    assertThat(undone(script)).isZero();
    assertThat(script.drain()).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 3522 3.2: reordering that looked like loss is undone by the timestamp")
  void shouldUndoARecoveryByTimestamp() {
    long[] stamp = new long[1];
    Script script = stamped(10, stamp);
    script.receive(". seq 1 ack 1 ts 1300 ecr " + (int) stamp[0] + " sack 1001-5001");
    script.expect(". seq 1 len 1000");
    script.pass(Script.MILLISECOND);
    script.receive(". seq 1 ack 5001 ts 1300 ecr " + (int) stamp[0]);
    assertThat(undone(script)).isEqualTo(1);
    script.receive(". seq 1 ack 10001 ts 1300 ecr " + (int) stamp[0]);
    assertThat(burst(script)).isGreaterThanOrEqualTo(10);
  }

  @Test
  @DisplayName("RFC 1191 6.4: what became too long for the path meanwhile is sent again in pieces")
  void shouldNotRestoreWhatIsTooLong() {
    long[] stamp = new long[1];
    Script script = stamped(4, stamp);
    script.pass(ROUND_TRIP);
    script.pass(TIMEOUT);
    script.drain();
    script.receiveTooBig(1001, 1052, 652);
    script.expect(". seq 1001 len 600");
    script.receive(". seq 1 ack 1001 ts 1300 ecr " + (int) stamp[0]);
    assertThat(undone(script)).isEqualTo(1);
    script.expect(". seq 1601 len 400");
    script.expect(". seq 2001 len 600");
    script.expect(". seq 2601 len 400");
    assertThat(script.stack.counters().timeouts).isEqualTo(1);
  }

  /** Ten in flight, more waits, the timer has expired and the first was sent again. */
  private static Script timedOut(TcpSettings settings) {
    Script script = inFlight(settings, 10);
    LossScript.queue(script, 4);
    script.turn();
    script.pass(ROUND_TRIP);
    script.drain();
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    return script;
  }

  @Test
  @DisplayName("RFC 5682 2.1 step 2b: after an advance new data leaves, and no retransmission")
  void shouldSendNewDataFirst() {
    Script script = timedOut(Script.plain());
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 10001 len 1000");
    script.expect(". seq 11001 len 1000");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 5682 2.1 step 3b: a second advance shows that nothing was lost")
  void shouldFindATimeoutSpurious() {
    Script script = timedOut(Script.plain());
    script.receive(". seq 1 ack 1001");
    assertThat(script.drain()).isEqualTo(2);
    script.receive(". seq 1 ack 2001");
    assertThat(undone(script)).isEqualTo(1);
    script.receive(". seq 1 ack 12001");
    script.pass(TIMEOUT);
    assertThat(script.stack.counters().retransmitted).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 5682 2.1 step 3a: a duplicate instead shows that it was")
  void shouldFindATimeoutReal() {
    Script script = timedOut(Script.plain());
    script.receive(". seq 1 ack 1001");
    assertThat(script.drain()).isEqualTo(2);
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    assertThat(undone(script)).isZero();
  }

  @Test
  @DisplayName("RFC 5682 2.1 step 2a: an acknowledgment of everything shows nothing")
  void shouldNotUndoByAnAcknowledgmentOfEverything() {
    Script script = timedOut(Script.plain());
    script.receive(". seq 1 ack 10001");
    script.receive(". seq 1 ack 12001");
    assertThat(undone(script)).isZero();
  }

  @Test
  @DisplayName("RFC 5682 2.1 step 2a: neither does a duplicate")
  void shouldNotJudgeAfterADuplicate() {
    Script script = timedOut(Script.plain());
    script.receive(". seq 1 ack 1");
    script.receive(". seq 1 ack 1001");
    script.receive(". seq 1 ack 2001");
    assertThat(undone(script)).isZero();
  }

  @Test
  @DisplayName("RFC 5682 2.1 step 1: a second timeout for the same data is not judged")
  void shouldNotJudgeTheSecondTimeout() {
    Script script = timedOut(Script.plain());
    script.pass(2 * TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    assertThat(undone(script)).isZero();
  }

  @Test
  @DisplayName("RFC 5682 2.1 step 2: without new data the retransmissions go on")
  void shouldRetransmitWithoutNewData() {
    Script script = inFlight(Script.plain(), 5);
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    script.expect(". seq 2001 len 1000");
  }

  @Test
  @DisplayName("RFC 5682 3: with SACK a segment that was sent once is the proof")
  void shouldFindATimeoutSpuriousBySack() {
    Script script = timedOut(sack());
    script.receive(". seq 1 ack 1001");
    assertThat(script.drain()).isEqualTo(2);
    script.receive(". seq 1 ack 1001 sack 3001-4001");
    assertThat(undone(script)).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 5682 3: with SACK new data behind the gap shows that the loss was real")
  void shouldFindATimeoutRealBySack() {
    Script script = timedOut(sack());
    int probe = 1;
    script.receive(". seq 1 ack 1001");
    script.drain();
    script.receive(". seq 1 ack 1001 sack " + (10001 + probe * 1000) + "-12001");
    assertThat(undone(script)).isZero();
    script.expect(". seq 1001 len 1000");
  }

  @Test
  @DisplayName("RFC 4015 3.2: segments counted as lost are in flight again, and not sent")
  void shouldNotRetransmitAfterUndoing() {
    Script script = timedOut(Script.plain());
    script.receive(". seq 1 ack 1001");
    script.drain();
    script.receive(". seq 1 ack 2001");
    script.drain();
    script.receive(". seq 1 ack 13001");
    script.expect("P. seq 13001 len 1000");
    script.receive(". seq 1 ack 14001");
    script.pass(10 * TIMEOUT);
    script.expectNothing();
    assertThat(script.stack.counters().retransmitted).isEqualTo(1);
  }
}
