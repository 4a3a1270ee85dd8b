package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a sender does with the feedback of accurate ECN (RFC 9768). */
class AccEcnSendingTest {
  private static TcpSettings settings() {
    return LossScript.sack().withEcn(true).withAccurateEcn(AccurateEcn.ASK);
  }

  private static Script established(TcpSettings settings) {
    Script script = new Script(settings);
    boolean marked = settings.congestion() == CongestionAlgorithm.DCTCP;
    script.connect();
    script.expect("SAWE seq 0");
    script.pass(ROUND_TRIP);
    String flags = marked ? "SA. " : "SW. ";
    script.receive(flags + "seq 0 ack 1 win 65535 mss 1000 acc 172:1,0,1 sackok");
    script.drain();
    script.handler.takeEvents();
    return script;
  }

  private static Script inFlight(TcpSettings settings, int segments) {
    Script script = established(settings);
    LossScript.queue(script, segments);
    script.turn();
    assertThat(script.drain()).isEqualTo(segments);
    script.pass(ROUND_TRIP);
    return script;
  }

  private static TcpConnection connection(Script script) {
    return (TcpConnection) script.stream;
  }

  private static long echoes(Script script) {
    return script.stack.counters().loss.congestionEchoes;
  }

  @Test
  @Tag("ACC-3.1.5-11")
  @Tag("ACC-3.1.5-12")
  @Tag("ACC-3.2.2.2-01")
  @DisplayName("RFC 9768 3.2.2.2, 3.1.5: a mark reduces the window, and no CWR answers it")
  void shouldReduceTheWindow() {
    Script script = inFlight(settings(), 10);
    LossScript.queue(script, 8);
    script.turn();
    script.expectNothing();
    script.receive(". seq 1 ack 1001 ace 6 acc 172:1,1000");
    script.receive(". seq 1 ack 2001 ace 6 acc 172:1001,1000");
    script.expect(". seq 10001 len 1000 ecn 2 ace 5");
    assertThat(echoes(script)).isEqualTo(1);
    assertThat(connection(script).status().slowStartThreshold()).isLessThan(10_000);
  }

  @Test
  @Tag("ACC-3.1.5-12")
  @DisplayName("RFC 3168 6.1.2: further marks of the same window change nothing")
  void shouldReduceOncePerWindow() {
    Script script = inFlight(settings(), 10);
    for (int i = 1; i <= 10; i++) {
      int ace = (5 + i) & 7;
      script.receive(". seq 1 ack " + (1 + i * 1000) + " ace " + ace + " acc 172:1," + i * 1000);
    }
    assertThat(echoes(script)).isEqualTo(1);
  }

  @Test
  @Tag("ACC-3.2.2.2-01")
  @DisplayName("RFC 9768 3.2.2.2: a counter that has not moved is no mark")
  void shouldSeeNoMarkInAConstantCounter() {
    Script script = inFlight(settings(), 10);
    script.receive(". seq 1 ack 1001 ace 5 acc 172:1001,0");
    script.receive(". seq 1 ack 10001 ace 5 acc 172:10001,0");
    assertThat(echoes(script)).isZero();
  }

  @Test
  @Tag("ACC-3.2.2.2-01")
  @DisplayName("RFC 9768 3.2.2.2: an acknowledgment that was overtaken says nothing")
  void shouldIgnoreAnOvertakenAcknowledgment() {
    Script script = inFlight(settings(), 10);
    script.receive(". seq 1 ack 5001 ace 5 acc 172:5001,0");
    script.receive(". seq 1 ack 4001 ace 4 acc 172:4001,0");
    script.receive(". seq 1 ack 5001 ace 4 acc 172:4001,0");
    assertThat(echoes(script)).isZero();
  }

  @Test
  @Tag("ACC-3.2.2.2-01")
  @DisplayName("RFC 9768 3.2.2.2: the acknowledgment of a single segment tells of its mark")
  void shouldSeeTheMarkOfASingleSegment() {
    Script script = inFlight(settings(), 1);
    script.receive(". seq 1 ack 1001 ace 6 acc 172:1,1000");
    assertThat(echoes(script)).isEqualTo(1);
  }

  @Test
  @Tag("ACC-3.2.2.5.2-01")
  @Tag("ACC-3.2.3.2.3-01")
  @DisplayName("RFC 9768 3.2.2.5.2: without options ACE that may have gone around has done so")
  void shouldAssumeThatAceHasGoneAround() {
    Script script = inFlight(settings(), 10);
    script.receive(". seq 1 ack 8001 ace 5");
    assertThat(echoes(script)).isEqualTo(1);

    script = inFlight(settings(), 10);
    script.receive(". seq 1 ack 7001 ace 5");
    assertThat(echoes(script)).isZero();
  }

  @Test
  @Tag("ACC-3.2.2.5.2-01")
  @DisplayName("RFC 9768 3.2.2.5.2: packets are counted as they were sent, not by full segments")
  void shouldCountShortPackets() {
    Script script = established(settings());
    for (int i = 0; i < 8; i++) {
      script.queue(10);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(8);
    script.receive(". seq 1 ack 81 ace 5");
    assertThat(echoes(script)).isEqualTo(1);
  }

  @Test
  @Tag("ACC-3.2.2.4-01")
  @DisplayName("RFC 9768 3.2.2.4: if the first ACE is zero, nothing more is capable")
  void shouldDetectAZeroedField() {
    Script script = inFlight(settings(), 10);
    script.receive(". seq 1 ack 1001 ace 0");
    assertThat(connection(script).ecn).isFalse();
    script.receive(". seq 1 ack 3001 ace 2");
    assertThat(echoes(script)).as("feedback is ignored").isZero();
    script.receive(". seq 1 ack 10001 len 100 ecn 3 ace 0");
    script.drain();
    script.send(100);
    script.expect("P. seq 10001 len 100 ecn 0 ace 6");
  }

  @Test
  @Tag("ACC-3.2.2.4-01")
  @DisplayName("RFC 9768 3.2.2.4: but not if three of its packets may have been marked")
  void shouldNotTakeThreeMarksForAZeroedField() {
    Script script = inFlight(settings(), 10);
    script.receive(". seq 1 ack 3001 ace 0 acc 172:1,3000");
    assertThat(connection(script).ecn).isTrue();
    assertThat(echoes(script)).isEqualTo(1);
  }

  @Test
  @Tag("ACC-3.2.3.2.5-01")
  @DisplayName("RFC 9768 3.2.3.2.5: octets with CE in no packet show that something lies")
  void shouldDetectContradictingCounters() {
    Script script = inFlight(settings(), 10);
    script.receive(". seq 1 ack 1001 ace 5 acc 172:1,1000");
    assertThat(connection(script).ecn).isFalse();
    script.receive(". seq 1 ack 10001 ace 5 acc 172:9001,1000");
    script.send(100);
    script.drain();
    script.receive(". seq 1 ack 10101 ace 5 acc 172:9001,1000");
    script.send(100);
    script.expect("P. seq 10101 len 100 ecn 0 ace 5");
  }

  @Test
  @Tag("ACC-3.2.3.2.4-01")
  @DisplayName("RFC 9768 3.2.3.2.4: options whose first counters are zero are ignored")
  void shouldIgnoreZeroedOptions() {
    Script script = new Script(settings());
    script.connect();
    script.expect("SAWE seq 0");
    script.pass(ROUND_TRIP);
    script.receive("SW. seq 0 ack 1 win 65535 mss 1000 acc 172:0,0,0 sackok");
    script.drain();
    LossScript.queue(script, 10);
    script.turn();
    script.drain();
    script.receive(". seq 1 ack 8001 ace 5 acc 172:0,0,0");
    assertThat(echoes(script)).as("ACE is interpreted safely").isEqualTo(1);
  }

  @Test
  @Tag("ACC-3.2.2.1-04")
  @DisplayName("RFC 9768 3.2.2.1: a client that gives no feedback is not responded to")
  void shouldNotRespondToAClientWithoutFeedback() {
    Script script = new Script(settings());
    script.listen();
    script.receive("SAWE seq 0 mss 1000 sackok");
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive(". seq 1 ack 1 ace 0");
    LossScript.queue(script, 10);
    script.turn();
    script.expect(". seq 1 len 1000 ecn 0 ace 5");
    script.drain();
    script.receive(". seq 1 ack 1001 ace 2");
    assertThat(echoes(script)).isZero();
  }

  @Test
  @DisplayName(
      "RFC 9768 3.2.2.2: marks of acknowledgments, while nothing is in flight, are no loss")
  void shouldFollowTheCounterWhileIdle() {
    Script script = inFlight(settings(), 1);
    script.receive(". seq 1 ack 1001 ace 5 acc 172:1001,0");
    script.receive(". seq 1 ack 1001 len 10 ace 7");
    script.send(1000);
    script.receive(". seq 11 ack 2001 ace 7 acc 172:2001,0");
    assertThat(echoes(script)).isZero();
  }

  @Test
  @Tag("ACC-3.1.5-12")
  @DisplayName("RFC 8257 3.3: DCTCP learns from the option how many octets were marked")
  void shouldTellDctcpOfMarkedOctets() {
    TcpSettings dctcp = settings().withCongestion(CongestionAlgorithm.DCTCP);
    long few = windowAfter(dctcp, 1);
    long many = windowAfter(dctcp, 10);
    assertThat(few).isGreaterThan(many);
  }

  /** The window after forty rounds in which so many of ten segments were marked. */
  private static long windowAfter(TcpSettings settings, int marked) {
    Script script = established(settings);
    int sent = 0;
    int packets = 5;
    for (int round = 0; round < 40; round++) {
      LossScript.queue(script, 2);
      script.turn();
      script.drain();
      script.pass(ROUND_TRIP);
      sent += 2000;
      packets += round % 10 < marked ? 1 : 0;
      int octets = (packets - 5) * 1000;
      String counters = " acc 172:" + (1 + sent - octets) + "," + octets;
      script.receive(". seq 1 ack " + (1 + sent) + " ace " + (packets & 7) + counters);
    }
    return connection(script).status().congestionWindow();
  }
}
