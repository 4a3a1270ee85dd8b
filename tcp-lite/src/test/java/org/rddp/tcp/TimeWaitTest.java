package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.wire.SequenceNumber;

/** Segments in TIME-WAIT, and its reuse (RFC 6191, RFC 1337). */
class TimeWaitTest {
  /** We have closed first; the last number of the peer is 1, ours is 2. */
  private static Script timeWait(TcpSettings settings, String stamp) {
    Script script = new Script(settings);
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000" + stamp);
    script.expect(". seq 1 ack 1");
    script.close();
    script.expect("F. seq 1 ack 1");
    script.receive("F. seq 1 ack 2" + stamp);
    script.expect(". seq 2 ack 2");
    assertThat(script.state()).isEqualTo(TcpState.TIME_WAIT);
    script.handler.takeEvents();
    return script;
  }

  private static Script timeWait() {
    return timeWait(Script.plain(), "");
  }

  /** With a listener on the port, so that a connection could open anew. */
  private static Script listening(Script script) {
    script.stack.listen(script.ourPort, (stream, address, port) -> script.handler);
    return script;
  }

  @Test
  @DisplayName("RFC 1337 3 (F1): a RST in TIME-WAIT is ignored")
  void shouldIgnoreAReset() {
    Script script = timeWait();
    script.receive("R seq 2");
    script.receive("R. seq 2 ack 2");
    script.expectNothing();
    assertThat(script.state()).isEqualTo(TcpState.TIME_WAIT);
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: an old duplicate in TIME-WAIT is acknowledged")
  void shouldAcknowledgeAnOldDuplicate() {
    Script script = timeWait();
    script.receive(". seq -9 ack 2 len 10");
    script.expect(". seq 2 ack 2");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: the peer's FIN again is acknowledged and restarts the wait")
  void shouldRestartAtAnotherFin() {
    Script script = timeWait();
    script.pass(Script.SECOND - 1);
    script.receive("F. seq 1 ack 2");
    script.expect(". seq 2 ack 2");
    script.pass(Script.SECOND - 1);
    assertThat(script.stack.connections()).isEqualTo(1);
    script.pass(1);
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.10.8: TIME-WAIT ends by itself, as a normal end and not as a timeout")
  void shouldEndByItself() {
    Script script = timeWait();
    script.pass(Script.SECOND);
    assertThat(script.stack.connections()).isZero();
    assertThat(script.stack.counters().timedOut).isZero();
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a FIN at RCV.NXT is acknowledged and restarts the wait")
  void shouldRestartAtAFinInTheWindow() {
    Script script = timeWait();
    script.pass(Script.SECOND - 1);
    script.receive("F. seq 2 ack 2");
    script.expect(". seq 2 ack 2");
    script.pass(Script.SECOND - 1);
    assertThat(script.stack.connections()).isEqualTo(1);
    script.pass(1);
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: an acknowledgment in TIME-WAIT is not answered")
  void shouldNotAnswerAnAcknowledgment() {
    Script script = timeWait();
    script.receive(". seq 2 ack 2");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: payload and URG in TIME-WAIT are acknowledged, not taken")
  void shouldIgnorePayload() {
    Script script = timeWait();
    script.receive("U. seq 2 ack 2 len 10");
    script.expect(". seq 2 ack 2");
    script.expectNothing();
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 9293 3.10.4, 3.10.5: closing and aborting in TIME-WAIT change nothing")
  void shouldIgnoreTheUser() {
    Script script = timeWait();
    script.stream.abort();
    script.close();
    assertThat(script.stream.sendable()).isFalse();
    script.stream.alarm(script.now + 1);
    script.pass(10);
    script.expectNothing();
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.state()).isEqualTo(TcpState.TIME_WAIT);
  }

  @ParameterizedTest
  @CsvSource({"3, true", "100000, true", "2, false", "-100000, false"})
  @DisplayName("RFC 9293 3.6.1: without timestamps a SYN opens anew when its number is later")
  void shouldOpenAnewByTheSequenceNumber(int sequence, boolean opens) {
    Script script = listening(timeWait());
    script.receive("S seq " + sequence + " mss 1000");
    script.expect(opens ? "S. seq 0 ack " + (sequence + 1) : ". seq 2 ack 2");
  }

  @ParameterizedTest
  @CsvSource({
    "101, -100000, true",
    "100, 100000, true",
    "100, -100000, false",
    "99, 100000, false",
  })
  @DisplayName("RFC 6191 2: with timestamps, a later one opens anew, an equal one with its number")
  void shouldOpenAnewByTheTimestamp(int timestamp, int sequence, boolean opens) {
    Script script = listening(timeWait(Script.plain().withTimestamps(true), " ts 100"));
    script.receive("S seq " + sequence + " mss 1000 ts " + timestamp);
    script.expect(opens ? "S. seq 0 ack " + (sequence + 1) : ". seq 2 ack 2");
  }

  @ParameterizedTest
  @CsvSource({"100000, true", "-100000, false"})
  @DisplayName("RFC 6191 2: the number decides when only the former incarnation had timestamps")
  void shouldOpenAnewWithoutTimestampsByTheNumber(int sequence, boolean opens) {
    Script script = listening(timeWait(Script.plain().withTimestamps(true), " ts 100"));
    script.receive("S seq " + sequence + " mss 1000");
    if (opens) {
      script.expect("S. seq 0 ack " + (sequence + 1));
    } else {
      // RFC 7323 section 3.2: no answer to what has lost its timestamp.
      script.expectNothing();
    }
  }

  @Test
  @DisplayName("RFC 6191 2: timestamps that the former incarnation did not have open anew")
  void shouldOpenAnewWithTimestampsOfItsOwn() {
    Script script = timeWait(Script.plain().withTimestamps(true), "");
    listening(script).receive("S seq -100000 mss 1000 ts 1");
    script.expect("S. seq 0 ack -99999");
  }

  @Test
  @DisplayName("RFC 9293 3.6.1: the new initial number is beyond the last one used")
  void shouldBeginBehindWhatTheFormerIncarnationUsed() {
    Script script = Script.established();
    // Faster than the clock of initial sequence numbers: megabytes in no time.
    for (int i = 0; i < 5000; i++) {
      script.queue(1000);
      script.turn();
      script.drain();
      script.receive(". seq 1 ack " + (1 + 1000 * (i + 1)) + " win 65535");
    }
    script.close();
    script.expect("F. seq 5000001");
    script.receive("F. seq 1 ack 5000002");
    script.expect(". seq 5000002 ack 2");
    int last = script.ourSequence + 5_000_002;
    listening(script).receive("S seq 100000 mss 1000");
    script.expect("S. seq 0 ack 100001");
    assertThat(SequenceNumber.after(script.ourSequence, last)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SF seq 9000", "SR seq 9000", "S. seq 9000 ack 2"})
  @DisplayName("RFC 9293 3.6.1: only a SYN alone reopens the connection")
  void shouldOpenAnewForAPlainSynOnly(String segment) {
    Script script = listening(timeWait());
    script.receive(segment);
    assertThat(script.state()).isEqualTo(TcpState.TIME_WAIT);
    assertThat(script.drain()).isLessThanOrEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9293 3.6.1: without a listener TIME-WAIT continues")
  void shouldStayWithoutAListener() {
    Script script = timeWait();
    script.receive("S seq 100000 mss 1000");
    script.expect(". seq 2 ack 2");
    assertThat(script.state()).isEqualTo(TcpState.TIME_WAIT);
  }
}
