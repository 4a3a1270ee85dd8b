package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.TcpState.CLOSED;
import static org.rddp.tcp.TcpState.CLOSE_WAIT;
import static org.rddp.tcp.TcpState.CLOSING;
import static org.rddp.tcp.TcpState.ESTABLISHED;
import static org.rddp.tcp.TcpState.FIN_WAIT_1;
import static org.rddp.tcp.TcpState.FIN_WAIT_2;
import static org.rddp.tcp.TcpState.LAST_ACK;
import static org.rddp.tcp.TcpState.SYN_RECEIVED;
import static org.rddp.tcp.TcpState.SYN_SENT;
import static org.rddp.tcp.TcpState.TIME_WAIT;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrows of RFC 9293's figure 5, and its section 3.10 state by state. */
class StateMachineTest {
  /** A connection in any synchronised state, everything before it acknowledged. */
  private static Script in(TcpState state) {
    Script script = Script.established();
    switch (state) {
      case CLOSE_WAIT, LAST_ACK -> {
        script.receive("F. seq 1 ack 1");
        script.expect(". seq 1 ack 2");
      }
      default -> {}
    }
    switch (state) {
      case FIN_WAIT_1, FIN_WAIT_2, CLOSING, TIME_WAIT, LAST_ACK -> {
        script.close();
        script.expect("F. seq 1");
      }
      default -> {}
    }
    switch (state) {
      case FIN_WAIT_2 -> script.receive(". seq 1 ack 2");
      case CLOSING -> {
        script.receive("F. seq 1 ack 1");
        script.expect(". seq 2 ack 2");
      }
      case TIME_WAIT -> {
        script.receive("F. seq 1 ack 2");
        script.expect(". seq 2 ack 2");
      }
      default -> {}
    }
    assertThat(script.state()).isEqualTo(state);
    script.handler.takeEvents();
    return script;
  }

  /** What the peer sends next has this number. */
  private static int next(TcpState state) {
    return state == ESTABLISHED || state == FIN_WAIT_1 || state == FIN_WAIT_2 ? 1 : 2;
  }

  /** Figure 5. */
  @Nested
  class Figure5 {
    @Test
    @DisplayName(
        "RFC 9293 figure 5: CLOSED - active OPEN, SYN -> SYN-SENT - SYN-ACK -> ESTABLISHED")
    void shouldOpenActively() {
      Script script = new Script();
      script.connect();
      assertThat(script.state()).isEqualTo(SYN_SENT);
      script.expect("S seq 0");
      script.receive("S. seq 0 ack 1");
      assertThat(script.state()).isEqualTo(ESTABLISHED);
    }

    @Test
    @DisplayName("RFC 9293 figure 5: SYN-SENT - SYN -> SYN-RECEIVED - ACK of SYN -> ESTABLISHED")
    void shouldOpenSimultaneously() {
      Script script = new Script();
      script.connect();
      script.expect("S seq 0");
      script.receive("S seq 0 mss 1000");
      assertThat(script.state()).isEqualTo(SYN_RECEIVED);
      script.expect("S. seq 0 ack 1");
      script.receive(". seq 1 ack 1");
      assertThat(script.state()).isEqualTo(ESTABLISHED);
    }

    @Test
    @DisplayName("RFC 9293 figure 5: SYN-SENT - CLOSE -> CLOSED")
    void shouldForgetOnCloseInSynSent() {
      Script script = new Script();
      script.connect();
      script.expect("S seq 0");
      script.close();
      assertThat(script.state()).isEqualTo(CLOSED);
      script.expectNothing();
    }

    @Test
    @DisplayName("RFC 9293 figure 5: SYN-RECEIVED - CLOSE waits for ESTABLISHED, then FIN-WAIT-1")
    void shouldCloseAfterTheHandshakeWhenClosedInSynReceived() {
      Script script = new Script();
      script.connect();
      script.expect("S seq 0");
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
      script.queue(10);
      script.close();
      script.expectNothing();
      script.receive(". seq 1 ack 1");
      script.expect("P. seq 1 len 10");
      script.expect("F. seq 11 ack 1");
      assertThat(script.state()).isEqualTo(FIN_WAIT_1);
      assertThat(script.handler.takeEvents()).containsExactly("open");
    }

    @Test
    @DisplayName(
        "RFC 9293 figure 5: ESTABLISHED - CLOSE, FIN -> FIN-WAIT-1 - ACK of FIN -> FIN-WAIT-2")
    void shouldCloseFirst() {
      Script script = in(FIN_WAIT_1);
      script.receive(". seq 1 ack 1");
      assertThat(script.state()).as("an ACK of less").isEqualTo(FIN_WAIT_1);
      script.receive(". seq 1 ack 2");
      assertThat(script.state()).isEqualTo(FIN_WAIT_2);
    }

    @Test
    @DisplayName("RFC 9293 figure 5: FIN-WAIT-2 - FIN, ACK -> TIME-WAIT - 2MSL -> CLOSED")
    void shouldWaitAfterThePeersFin() {
      Script script = in(FIN_WAIT_2);
      script.receive("F. seq 1 ack 2");
      script.expect(". seq 2 ack 2");
      assertThat(script.state()).isEqualTo(TIME_WAIT);
      script.pass(Script.SECOND);
      assertThat(script.state()).isEqualTo(CLOSED);
    }

    @Test
    @DisplayName("RFC 9293 figure 5: FIN-WAIT-1 - FIN, ACK -> CLOSING - ACK of FIN -> TIME-WAIT")
    void shouldCloseSimultaneously() {
      Script script = in(CLOSING);
      script.receive(". seq 2 ack 1");
      assertThat(script.state()).as("an ACK of less").isEqualTo(CLOSING);
      script.receive(". seq 2 ack 2");
      assertThat(script.state()).isEqualTo(TIME_WAIT);
    }

    @Test
    @DisplayName("RFC 9293 figure 5 (a): FIN-WAIT-1 - FIN with the ACK of ours -> TIME-WAIT")
    void shouldSkipFinWait2() {
      Script script = in(FIN_WAIT_1);
      script.receive("F. seq 1 ack 2");
      assertThat(script.state()).isEqualTo(TIME_WAIT);
    }

    @Test
    @DisplayName("RFC 9293 figure 5: CLOSE-WAIT - CLOSE, FIN -> LAST-ACK - ACK of FIN -> CLOSED")
    void shouldCloseSecond() {
      Script script = in(LAST_ACK);
      script.receive(". seq 2 ack 1");
      assertThat(script.state()).as("an ACK of less").isEqualTo(LAST_ACK);
      script.receive(". seq 2 ack 2");
      assertThat(script.state()).isEqualTo(CLOSED);
      assertThat(script.handler.takeEvents()).containsExactly("closed NORMAL");
    }
  }

  /** Section 3.10.7.3: SYN-SENT. */
  @Nested
  class SynSent {
    private final Script script = new Script();

    SynSent() {
      script.connect();
      script.expect("S seq 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 2, 1000})
    @DisplayName(
        "RFC 9293 3.10.7.3 first: an unacceptable ACK is answered by a RST with its number")
    void shouldResetAnUnacceptableAcknowledgment(int acknowledgment) {
      script.receive("S. seq 0 ack " + acknowledgment + " mss 1000");
      script.expect("R seq " + acknowledgment);
      assertThat(script.state()).isEqualTo(SYN_SENT);
    }

    @Test
    @DisplayName("RFC 9293 3.10.7.3 fifth: neither SYN nor RST is dropped")
    void shouldDropWhatIsNeitherSynNorReset() {
      script.receive(". seq 0 ack 1 len 10");
      script.receive("F. seq 0 ack 1");
      script.receive("P seq 0 len 10");
      script.expectNothing();
      assertThat(script.state()).isEqualTo(SYN_SENT);
    }

    @Test
    @DisplayName("RFC 9293 3.10.7.3 fourth: payload and FIN of the SYN-ACK count")
    void shouldTakePayloadAndFinOfTheSynAck() {
      script.receive("SF. seq 0 ack 1 mss 1000");
      script.expect(". seq 1 ack 2");
      assertThat(script.handler.takeEvents()).containsExactly("open", "peer closed");
      assertThat(script.state()).isEqualTo(CLOSE_WAIT);
    }

    @Test
    @DisplayName(
        "RFC 9293 3.10.7.3 fourth: a SYN with payload but without ACK opens simultaneously")
    void shouldLetThePayloadOfASimultaneousSynComeAgain() {
      script.receive("S seq 0 mss 1000 len 10");
      script.expect("S. seq 0 ack 1");
      script.receive(". seq 1 ack 1 len 10");
      assertThat(script.handler.takeEvents()).containsExactly("open", "1+10");
    }

    @Test
    @DisplayName("RFC 9293 3.10.5: ABORT in SYN-SENT sends nothing")
    void shouldSendNothingOnAbort() {
      script.stream.abort();
      script.turn();
      script.expectNothing();
      assertThat(script.handler.takeEvents()).containsExactly("closed ABORTED");
    }

    @Test
    @DisplayName("RFC 9293 3.10.7.3: in SYN-RECEIVED after a simultaneous open, a RST is a refusal")
    void shouldReportRefusedWhenASimultaneousOpenIsReset() {
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
      script.receive("R seq 1");
      assertThat(script.handler.takeEvents()).containsExactly("closed REFUSED");
    }

    @Test
    @DisplayName("RFC 9293 3.10.7.4 fourth: an actively opened SYN-RECEIVED challenges another SYN")
    void shouldChallengeAnotherSynAfterASimultaneousOpen() {
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
      script.receive("S seq 10 mss 1000");
      script.expect(". seq 1 ack 1");
      assertThat(script.state()).isEqualTo(SYN_RECEIVED);
    }
  }

  /** Section 3.10.7.4, in each of the synchronised states. */
  @Nested
  class Synchronised {
    @ParameterizedTest
    @EnumSource(
        names = {
          "ESTABLISHED",
          "FIN_WAIT_1",
          "FIN_WAIT_2",
          "CLOSE_WAIT",
          "CLOSING",
          "LAST_ACK",
          "TIME_WAIT"
        })
    @DisplayName(
        "RFC 9293 3.10.7.4 first: what is outside of the window is acknowledged and dropped")
    void shouldAcknowledgeWhatIsOutsideOfTheWindow(TcpState state) {
      Script script = in(state);
      script.receive(". seq -20 ack 1 len 10");
      script.expect(". ack " + next(state));
      script.receive(". seq 90000 ack 1 len 10");
      script.expect(". ack " + next(state));
      assertThat(script.handler.takeEvents()).isEmpty();
      assertThat(script.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(
        names = {"ESTABLISHED", "FIN_WAIT_1", "FIN_WAIT_2", "CLOSE_WAIT", "CLOSING", "LAST_ACK"})
    @DisplayName("RFC 9293 3.10.7.4 second: a RST at RCV.NXT ends the connection")
    void shouldEndOnAReset(TcpState state) {
      Script script = in(state);
      script.receive("R seq " + next(state));
      boolean bothClosed = state == CLOSING || state == LAST_ACK;
      assertThat(script.handler.takeEvents())
          .containsExactly(bothClosed ? "closed NORMAL" : "closed RESET");
      assertThat(script.state()).isEqualTo(CLOSED);
      script.expectNothing();
    }

    @ParameterizedTest
    @EnumSource(
        names = {
          "ESTABLISHED",
          "FIN_WAIT_1",
          "FIN_WAIT_2",
          "CLOSE_WAIT",
          "CLOSING",
          "LAST_ACK",
          "TIME_WAIT"
        })
    @DisplayName("RFC 9293 3.10.7.4 fourth: a SYN is challenged in every synchronised state")
    void shouldChallengeASyn(TcpState state) {
      Script script = in(state);
      script.receive("S seq " + next(state));
      script.expect(". ack " + next(state));
      assertThat(script.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(
        names = {
          "ESTABLISHED",
          "FIN_WAIT_1",
          "FIN_WAIT_2",
          "CLOSE_WAIT",
          "CLOSING",
          "LAST_ACK",
          "TIME_WAIT"
        })
    @DisplayName("RFC 9293 3.10.7.4 fifth: a segment without ACK is dropped")
    void shouldDropWhatHasNoAck(TcpState state) {
      Script script = in(state);
      script.receive("F seq " + next(state) + " len 10");
      script.expectNothing();
      assertThat(script.handler.takeEvents()).isEmpty();
      assertThat(script.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(names = {"ESTABLISHED", "FIN_WAIT_1", "FIN_WAIT_2"})
    @DisplayName(
        "RFC 9293 3.10.7.4 seventh: payload is handed up as long as the peer's half is open")
    void shouldTakePayload(TcpState state) {
      Script script = in(state);
      script.receive(". seq 1 ack 1 len 10");
      script.expect(". ack 11");
      assertThat(script.handler.takeEvents()).containsExactly("1+10");
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE_WAIT", "CLOSING", "LAST_ACK", "TIME_WAIT"})
    @DisplayName("RFC 9293 3.10.7.4 seventh: payload behind the peer's FIN is ignored")
    void shouldIgnorePayloadBehindTheFin(TcpState state) {
      Script script = in(state);
      script.receive(". seq 2 ack 1 len 10");
      assertThat(script.handler.takeEvents()).isEmpty();
      assertThat(script.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE_WAIT", "CLOSING", "LAST_ACK", "TIME_WAIT"})
    @DisplayName("RFC 9293 3.10.7.4 eighth: the peer's FIN again is acknowledged again")
    void shouldAcknowledgeTheFinAgain(TcpState state) {
      Script script = in(state);
      script.receive("F. seq 1 ack 1");
      script.expect(". ack 2");
      assertThat(script.handler.takeEvents()).isEmpty();
      assertThat(script.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(
        names = {"ESTABLISHED", "FIN_WAIT_1", "FIN_WAIT_2", "CLOSE_WAIT", "CLOSING", "LAST_ACK"})
    @DisplayName("RFC 9293 3.10.5: ABORT sends a RST")
    void shouldSendAResetOnAbort(TcpState state) {
      Script script = in(state);
      script.stream.abort();
      script.turn();
      script.expect("R. ack " + next(state));
      assertThat(script.handler.takeEvents()).containsExactly("closed ABORTED");
      assertThat(script.stack.connections()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"FIN_WAIT_1", "FIN_WAIT_2", "CLOSING", "LAST_ACK", "TIME_WAIT"})
    @DisplayName("RFC 9293 3.10.4: CLOSE once more changes nothing")
    void shouldCloseOnlyOnce(TcpState state) {
      Script script = in(state);
      script.close();
      script.expectNothing();
      assertThat(script.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIN_WAIT_1", "CLOSING", "LAST_ACK"})
    @DisplayName("RFC 9293 3.8.1: a FIN that is not acknowledged is sent again")
    void shouldSendTheFinAgain(TcpState state) {
      Script script = in(state);
      script.pass(Script.SECOND);
      script.expect("F. seq 1");
      assertThat(script.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIN_WAIT_1", "CLOSING", "LAST_ACK"})
    @DisplayName("RFC 9293 3.8.3: a FIN that is never acknowledged is given up with a RST")
    void shouldGiveUpAFinThatIsNeverAcknowledged(TcpState state) {
      Script script = in(state);
      for (int i = 0; i < 200; i++) {
        script.pass(Script.SECOND);
      }
      assertThat(script.handler.takeEvents()).containsExactly("closed TIMEOUT");
      assertThat(script.stack.connections()).isZero();
    }
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a failure of one connection does not affect others")
  void shouldServeTheOthersWhenOneFails() {
    Script script = new Script();
    script.stack.reportFailuresTo(failure -> {
      throw new IllegalStateException("the log is full", failure);
    });
    List<Recorder> handlers = new ArrayList<>();
    script.listen((stream, address, port) -> {
      script.stream = stream;
      Recorder handler = handlers.isEmpty() ? failing() : new Recorder();
      handlers.add(handler);
      return handler;
    });
    for (int port = 1; port <= 2; port++) {
      script.theirPort = port;
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
      script.receive(". seq 1 ack 1 win 65535");
    }
    script.stream.alarm(script.now + 10);
    handlers.get(0).stream.alarm(script.now + 10);
    script.pass(10);
    assertThat(handlers.get(0).events).endsWith("closed ABORTED");
    assertThat(handlers.get(1).events).endsWith("alarm");
    assertThat(script.stack.connections()).isEqualTo(1);
    assertThat(script.stack.counters().handlerFailures).isGreaterThanOrEqualTo(1);
  }

  private static Recorder failing() {
    return new Recorder() {
      @Override
      public void onAlarm(long now) {
        throw new IllegalStateException("alarm");
      }
    };
  }
}
