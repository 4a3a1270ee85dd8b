package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whether a connection uses explicit congestion notification (RFC 3168 section 6.1.1). */
class EcnNegotiationTest {
  private static final TcpSettings WITH_ECN = Script.plain().withEcn(true);

  private static boolean ecn(Script script) {
    return ((TcpConnection) script.stream).ecn;
  }

  private static Script asked(TcpSettings settings, String syn) {
    Script script = new Script(settings);
    script.listen();
    script.receive(syn);
    return script;
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: our SYN offers ECN, and a SYN-ACK with ECE alone accepts it")
  void shouldAskForEcnAndTakeTheAnswer() {
    Script script = new Script(WITH_ECN);
    script.connect();
    script.expect("SEW seq 0");
    script.receive("SE. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(ecn(script)).isTrue();
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: a SYN-ACK without ECE declines")
  void shouldDoWithoutWhenThePeerDeclines() {
    Script script = new Script(WITH_ECN);
    script.connect();
    script.expect("SEW seq 0");
    script.receive("S. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(ecn(script)).isFalse();
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: a SYN-ACK that reflects both flags means nothing")
  void shouldNotTakeReflectedFlagsForAnAnswer() {
    Script script = new Script(WITH_ECN);
    script.connect();
    script.expect("SEW seq 0");
    script.receive("SEW. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(ecn(script)).isFalse();
  }

  @Test
  @DisplayName(
      "RFC 3168 6.1.1.1: a repeated SYN does not offer ECN, and an answer to the first is ignored")
  void shouldFallBackWhenTheSynGoesUnanswered() {
    Script script = new Script(WITH_ECN);
    script.connect();
    script.expect("SEW seq 0");
    script.pass(Script.SECOND);
    script.expect("S seq 0");
    script.receive("SE. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(ecn(script)).isFalse();
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: a SYN that asks gets a SYN-ACK with ECE")
  void shouldAgreeToEcn() {
    Script script = asked(WITH_ECN, "SEW seq 0 mss 1000");
    script.expect("SE. seq 0 ack 1");
    script.pass(Script.SECOND);
    script.expect("SE. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(ecn(script)).as("after a SYN-ACK that went unanswered").isTrue();
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: a SYN with one of the two flags does not ask")
  void shouldNotTakeOneFlagForTheQuestion() {
    asked(WITH_ECN, "SE seq 0 mss 1000").expect("S. seq 0 ack 1");
    asked(WITH_ECN, "SW seq 0 mss 1000").expect("S. seq 0 ack 1");
    asked(WITH_ECN, "S seq 0 mss 1000").expect("S. seq 0 ack 1");
  }

  @Test
  @DisplayName("RFC 3168 6.1.1.1: a repeated SYN without ECN is answered without ECN")
  void shouldFollowThePeersFallback() {
    Script script = asked(WITH_ECN, "SEW seq 0 mss 1000");
    script.expect("SE. seq 0 ack 1");
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(ecn(script)).isFalse();
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: switched off, it is neither asked for nor agreed to")
  void shouldNeitherAskNorAgreeWhenOff() {
    Script script = new Script(WITH_ECN.withEcn(false));
    script.connect();
    script.expect("S seq 0");
    asked(WITH_ECN.withEcn(false), "SEW seq 0 mss 1000").expect("S. seq 0 ack 1");
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: both ends that open at once agree")
  void shouldAgreeInASimultaneousOpen() {
    Script script = new Script(WITH_ECN);
    script.connect();
    script.expect("SEW seq 0");
    script.receive("SEW seq 0 mss 1000");
    script.expect("SE. seq 0 ack 1");
    script.receive("SE. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(ecn(script)).isTrue();
  }
}
