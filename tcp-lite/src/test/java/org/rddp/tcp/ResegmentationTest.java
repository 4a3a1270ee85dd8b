package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.established;
import static org.rddp.tcp.LossScript.inFlight;
import static org.rddp.tcp.LossScript.sack;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The path narrows, or turns out to be narrow, and widens again. */
class ResegmentationTest {
  @Test
  @Tag("MPAA-1-05")
  @DisplayName(
      "RFC 1191 6.4: segments in flight that are too long are sent again at once, in pieces")
  void shouldCutWhatIsInFlight() {
    Script script = inFlight(sack(), 2);
    script.receiveTooBig(1, 1040, 740);
    script.expect(". seq 1 len 700");
    script.expect(". seq 701 len 300");
    script.expect(". seq 1001 len 700");
    script.expect("P. seq 1701 len 300");
    script.expectNothing();
    assertThat(script.handler.takeEvents()).containsExactly("emss 700");
    script.receive(". seq 1 ack 2001");
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 1191 6.4: that does not count as congestion: the window stays")
  void shouldNotTakeItForCongestion() {
    Script script = inFlight(sack(), 10);
    script.receiveTooBig(1, 1040, 740);
    script.drain();
    script.receive(". seq 1 ack 10001");
    assertThat(script.stack.counters().loss.recoveries).isZero();
    assertThat(LossScript.burst(script)).isGreaterThanOrEqualTo(10);
  }

  @Test
  @Tag("MPAA-1-05")
  @DisplayName("RFC 5044 A.1: waiting segments are cut, too, and later ones are whole again")
  @Tag("MPA-5.1-08")
  void shouldCutWhatWaitsAndAlignAgain() {
    Script script = established(sack());
    script.receive(". seq 1 ack 1 win 1000");
    LossScript.queue(script, 2);
    script.turn();
    script.expect(". seq 1 len 1000");
    script.receiveTooBig(1, 1040, 740);
    script.expect(". seq 1 len 700");
    script.expect(". seq 701 len 300");
    script.expectNothing();
    script.receive(". seq 1 ack 1001");
    script.send(700);
    script.expect(". seq 1001 len 700");
    script.expect(". seq 1701 len 300");
    script.expect("P. seq 2001 len 700");
  }

  @Test
  @DisplayName("RFC 1191 6.4: lost pieces are sent again as pieces")
  void shouldRetransmitPieces() {
    Script script = inFlight(sack(), 2);
    script.receiveTooBig(1, 1040, 740);
    assertThat(script.drain()).isEqualTo(4);
    script.pass(LossScript.ROUND_TRIP);
    script.receive(". seq 1 ack 1 sack 701-2001");
    script.expect(". seq 1 len 700");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 1191 6.3: when the path MTU grows the user is told, and segments are longer")
  void shouldGrowAgain() {
    Script script = inFlight(sack(), 1);
    script.receiveTooBig(1, 1040, 740);
    script.drain();
    script.receive(". seq 1 ack 1001");
    script.handler.takeEvents();
    script.pass(600 * Script.SECOND);
    assertThat(script.handler.takeEvents()).contains("emss 1000");
    script.send(1000);
    script.expect("P. seq 1001 len 1000");
  }

  @Test
  @DisplayName("RFC 1191 6.4: a timeout after a fall of the path MTU sends the first piece")
  void shouldTimeOutInPieces() {
    Script script = inFlight(Script.plain(), 1);
    script.receiveTooBig(1, 1040, 740);
    script.expect(". seq 1 len 700");
    script.expect("P. seq 701 len 300");
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 700");
    script.expectNothing();
  }

  /** Small segments get through, and a long one has timed out three times. */
  private static Script dropped() {
    Script script = established(Script.plain());
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.receive(". seq 1 ack 101");
    script.send(1000);
    script.expect("P. seq 101 len 1000");
    script.pass(TIMEOUT);
    script.expect("P. seq 101 len 1000");
    script.pass(2 * TIMEOUT);
    script.expect("P. seq 101 len 1000");
    script.pass(4 * TIMEOUT);
    return script;
  }

  @Test
  @DisplayName(
      "RFC 2923 2.1: long segments that time out while short ones are acknowledged are made shorter")
  void shouldEscapeABlackHole() {
    Script script = dropped();
    script.expect(". seq 101 len 536");
    script.expectNothing();
    assertThat(script.handler.takeEvents()).containsExactly("emss 536");
    script.receive(". seq 1 ack 637");
    script.expect("P. seq 637 len 464");
    assertThat(script.stack.counters().blackHoles).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 2923 2.1: a path that drops even 576 octets is detected, too")
  void shouldEscapeADeeperBlackHole() {
    Script script = dropped();
    script.expect(". seq 101 len 536");
    script.pass(8 * TIMEOUT);
    script.expect(". seq 101 len 536");
    script.pass(16 * TIMEOUT);
    script.expect(". seq 101 len 256");
    script.receive(". seq 1 ack 357");
    script.expect(". seq 637 len 256");
    assertThat(script.stream.emss()).isEqualTo(256);
  }

  @Test
  @DisplayName("RFC 2923 2.1: options count: 528 octets and timestamps make more than 576")
  void shouldEscapeABlackHoleThatOptionsMake() {
    Script script = new Script(Script.plain().withTimestamps(true));
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1460 ts 1 ecr 0");
    script.drain();
    script.send(528);
    script.expect("P. seq 1 len 528");
    for (int i = 0; i < 5; i++) {
      script.pass(Script.SECOND << i);
      assertThat(script.drain()).isPositive();
    }
    assertThat(script.stream.emss()).isEqualTo(524);
  }

  @Test
  @DisplayName("RFC 1191 6.4: cutting segments leaves packets for receiving")
  void shouldNotCutBeyondTheBudget() {
    Script script =
        new Script(
            TcpSettings.DEFAULTS
                .withTimestamps(false)
                .withEcn(false)
                .withCongestion(CongestionAlgorithm.NONE),
            9000);
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 8960 ws 7 sackok");
    script.receive(". seq 1 ack 1 win 65535");
    while (script.stream.sendable()) {
      script.queue(8000);
    }
    script.turn();
    script.drain();
    int sent = script.stack.packetsHeld();
    assertThat(sent).isGreaterThan(100);
    script.receiveTooBig(1, 8040, 296);
    int pieces = script.drain();
    assertThat(pieces).isGreaterThan(100);
    assertThat(script.stack.packetsHeld()).isLessThanOrEqualTo(script.pool.capacity() / 2);
    assertThat(script.stack.nextDeadline()).isGreaterThan(script.now);
    int acknowledged = 1;
    while (acknowledged < 1 + sent * 8000) {
      script.pass(Script.MILLISECOND);
      acknowledged = Math.min(acknowledged + 256 * Math.max(pieces, 1), 1 + sent * 8000);
      script.receive(". seq 1 ack " + acknowledged + " win 65535");
      pieces = script.drain();
      assertThat(script.stack.packetsHeld()).isLessThanOrEqualTo(script.pool.capacity() / 2);
    }
    assertThat(script.stack.packetsHeld()).isZero();
  }

  @Test
  @DisplayName("RFC 4821 7.7: longer segments are tried again after a while")
  void shouldTryLongerSegmentsLater() {
    Script script = dropped();
    script.drain();
    script.receive(". seq 1 ack 1101");
    script.handler.takeEvents();
    script.pass(Script.SECOND);
    script.send(1000);
    script.expect("P. seq 1101 len 1000");
    assertThat(script.handler.takeEvents()).contains("emss 1000");
    script.receive(". seq 1 ack 2101");
    script.send(1000);
    script.expect("P. seq 2101 len 1000");
    script.pass(10 * TIMEOUT);
    script.expect("P. seq 2101 len 1000");
    assertThat(script.stream.emss()).isEqualTo(1000);
  }

  @Test
  @DisplayName("RFC 4821 7.7: a trial that fails ends at once, and the next one comes later")
  void shouldGiveUpATrialAtOnce() {
    Script script = dropped();
    script.drain();
    script.receive(". seq 1 ack 1101");
    script.pass(Script.SECOND);
    script.send(1000);
    script.expect("P. seq 1101 len 1000");
    script.pass(20 * TIMEOUT);
    script.expect(". seq 1101 len 536");
    assertThat(script.stream.emss()).isEqualTo(536);
    script.receive(". seq 1 ack 1637");
    script.drain();
    script.receive(". seq 1 ack 2101");
    script.pass(2 * Script.SECOND);
    script.send(1000);
    script.expect(". seq 2101 len 536");
    script.drain();
    script.receive(". seq 1 ack 3101");
    script.pass(10 * Script.SECOND);
    script.send(1000);
    script.expect("P. seq 3101 len 1000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: a peer that has shrunk its window is no black hole")
  void shouldNotTakeAShutWindowForABlackHole() {
    Script script = established(Script.plain());
    script.send(100);
    script.receive(". seq 1 ack 101");
    script.send(1000);
    script.receive(". seq 1 ack 101 win 0");
    for (int i = 0; i < 20; i++) {
      script.pass(Script.SECOND);
    }
    assertThat(script.stack.counters().blackHoles).isZero();
  }

  @Test
  @DisplayName("RFC 2923 2.1: a segment of which the peer has a part, and a window for the rest")
  void shouldSuspectThePathWhenTheWindowHoldsWhatIsMissing() {
    Script script = established(Script.plain());
    script.send(1000);
    script.receive(". seq 1 ack 301 win 800");
    script.drain();
    for (int i = 0; i < 20; i++) {
      script.pass(Script.SECOND);
    }
    assertThat(script.stack.counters().blackHoles).isPositive();
    assertThat(script.stream.emss()).isLessThanOrEqualTo(536);
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: octets beyond a window that shrank wait until it grows")
  void shouldKeepToAWindowThatShrank() {
    Script script = inFlight(Script.plain(), 5);
    script.receive(". seq 1 ack 1 win 1500");
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001 win 1500");
    script.expect(". seq 1001 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 2001 win 65535");
    script.expect(". seq 2001 len 1000");
    script.expect(". seq 3001 len 1000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.1: the first segment is sent again even into a window that is shut")
  void shouldProbeAShutWindowWithWhatIsInFlight() {
    Script script = inFlight(Script.plain(), 2);
    script.receive(". seq 1 ack 1 win 0");
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 1001 win 0");
    script.receive(". seq 1 ack 1001 win 65535");
    script.expect("P. seq 1001 len 1000");
  }

  /** Half of what one connection may keep, in jumbo frames, and no window in the way. */
  private static Script jumbo(int segments) {
    TcpSettings settings =
        Script.plain().withWindowScale(true).withCongestion(CongestionAlgorithm.NONE);
    Script script = new Script(settings, 9000);
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 8960 ws 14");
    script.expect(". seq 1 ack 1");
    script.receive(". seq 1 ack 1 win 1000");
    for (int i = 0; i < segments; i++) {
      script.send(8960);
    }
    assertThat(script.drain()).isEqualTo(segments);
    return script;
  }

  @Test
  @DisplayName("RFC 1191 6.4: cutting segments in flight leaves packets for receiving")
  void shouldKeepNoMorePacketsForPieces() {
    int segments = 120;
    Script script = jumbo(segments);
    int free = script.pool.available();
    script.receiveTooBig(1, 9000, 1500);
    int pieces = script.drain();
    for (int i = 0; i < 30; i++) {
      script.turn();
      pieces += script.drain();
    }
    assertThat(pieces).isEqualTo(segments * 7);
    assertThat(script.pool.available()).isEqualTo(free);
    assertThat(script.stack.packetsHeld()).isEqualTo(segments);
    script.receive(". seq 1 ack 1461 win 1000");
    assertThat(script.stack.packetsHeld()).isEqualTo(segments);
    script.receive(". seq 1 ack 8961 win 1000");
    assertThat(script.stack.packetsHeld()).isEqualTo(segments - 1);
    script.receive(". seq 1 ack " + (1 + segments * 8960) + " win 1000");
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 1191 6.4: a path that narrows again cuts pieces again")
  void shouldCutPiecesAgain() {
    Script script = inFlight(sack(), 1);
    script.receiveTooBig(1, 1040, 740);
    script.expect(". seq 1 len 700");
    script.expect("P. seq 701 len 300");
    script.receiveTooBig(1, 740, 540);
    script.expect(". seq 1 len 500");
    script.expect(". seq 501 len 200");
    script.expectNothing();
    script.receive(". seq 1 ack 701");
    script.pass(TIMEOUT);
    script.expect("P. seq 701 len 300");
    assertThat(script.stack.packetsHeld()).isEqualTo(1);
    script.receive(". seq 1 ack 1001");
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 9293 3.10.8: a connection with pieces in flight gives everything back")
  void shouldGiveBackWhatIsInPieces() {
    Script script = jumbo(3);
    script.receiveTooBig(1, 9000, 1500);
    script.receive(". seq 1 ack 1461 win 1000");
    script.drain();
    script.stream.abort();
    script.turn();
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }
}
