package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a connection uses accurate ECN (RFC 9768 section 3.1). */
class AccEcnNegotiationTest {
  private static final TcpSettings ASKS =
      Script.plain().withEcn(true).withAccurateEcn(AccurateEcn.ASK);
  private static final TcpSettings ACCEPTS = ASKS.withAccurateEcn(AccurateEcn.ACCEPT);

  private static TcpConnection connection(Script script) {
    return (TcpConnection) script.stream;
  }

  private static String mode(Script script) {
    TcpConnection connection = connection(script);
    String capable = connection.ecn ? "" : ", not capable";
    return connection.accurate != null ? "accurate" + capable : connection.ecn ? "classic" : "none";
  }

  private static Script asking() {
    Script script = new Script(ASKS);
    script.connect();
    script.expect("SAWE seq 0 acc -");
    return script;
  }

  private static Script asked(TcpSettings settings, String syn) {
    Script script = new Script(settings);
    script.listen();
    script.receive(syn);
    return script;
  }

  @ParameterizedTest(name = "ACE {0}: {1}: {2}")
  @CsvSource({
    "2, accurate, ACC-3.1.1-04",
    "3, 'accurate, not capable', ACC-3.1.1-04 ACC-3.2.2.3-01",
    "4, 'accurate, not capable', ACC-3.1.1-04 ACC-3.2.2.3-01",
    "6, 'accurate, not capable', ACC-3.1.1-04 ACC-3.2.2.3-01",
    "5, accurate, ACC-3.1.3-02",
    "1, classic, ACC-3.1.2-01",
    "0, none, ACC-3.1.2-01",
    "7, none, ACC-3.1.2-01"
  })
  @Tag("ACC-3.1.1-01")
  @Tag("ACC-3.2.3.2.1-01")
  @DisplayName("RFC 9768 3.1.1 to 3.1.3, 3.2.2.3: a client follows the SYN-ACK")
  void shouldFollowTheAnswer(int ace, String expected, String clauses) {
    Script script = asking();
    script.receive("S. seq 0 ack 1 mss 1000 ace " + ace);
    assertThat(mode(script)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0} is answered by ACE {1}")
  @CsvSource({"0, 2", "1, 3", "2, 4", "3, 6"})
  @Tag("ACC-3.1.1-02")
  @Tag("ACC-3.2.3.2.1-02")
  @DisplayName("RFC 9768 3.1.1: a server answers with the codepoint of the SYN, and an option")
  void shouldAnswerWithTheCodepoint(int codepoint, int ace) {
    Script script = asked(ACCEPTS, "SAWE seq 0 mss 1000 ecn " + codepoint);
    script.expect("S. seq 0 ack 1 acc 172:1,0,1 ace " + ace);
    script.receive(". seq 1 ack 1 ace 2");
    assertThat(mode(script)).isEqualTo("accurate");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 5, 6})
  @Tag("ACC-3.1.3-01")
  @DisplayName("RFC 9768 3.1.3: a SYN with a reserved combination asks for accurate ECN")
  void shouldTakeReservedCombinations(int ace) {
    Script script = asked(ACCEPTS, "S seq 0 mss 1000 ace " + ace);
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive(". seq 1 ack 1 ace 2");
    assertThat(mode(script)).isEqualTo("accurate");
  }

  @Test
  @Tag("ACC-3.1.1-03")
  @Tag("ACC-3.1.2-02")
  @DisplayName("RFC 9768 3.1.2: a SYN that asks for RFC 3168's ECN gets that")
  void shouldAgreeToClassicEcn() {
    Script script = asked(ASKS, "SEW seq 0 mss 1000");
    script.expect("SE. seq 0 ack 1 acc -");
    script.receive(". seq 1 ack 1");
    assertThat(mode(script)).isEqualTo("classic");
  }

  @Test
  @Tag("ACC-3.1.1-03")
  @Tag("ACC-3.1.2-03")
  @Tag("ACC-3.1.5-09")
  @Tag("ACC-3.1.5-10")
  @DisplayName("RFC 9768 3.1.2, 3.1.5: a SYN without ECN gets none, whatever SYN follows it")
  void shouldStayWithoutEcn() {
    Script script = asked(ASKS, "S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 acc -");
    script.receive("SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 acc -");
    script.receive(". seq 1 ack 1");
    assertThat(mode(script)).isEqualTo("none");
    script.send(100);
    script.expect("P. seq 1 len 100 ecn 0");
  }

  @Test
  @DisplayName("RFC 9768 3.1.2: a server that does not know it takes the SYN for RFC 3168's")
  void shouldTakeTheRequestForRfc3168sWhenOff() {
    Script script = asked(ASKS.withAccurateEcn(AccurateEcn.OFF), "SAWE seq 0 mss 1000");
    script.expect("SE. seq 0 ack 1 acc -");
    script.receive(". seq 1 ack 1");
    assertThat(mode(script)).isEqualTo("classic");
  }

  @Test
  @DisplayName("RFC 9768 3.1.1: a stack that only accepts it asks for RFC 3168's")
  void shouldAskForRfc3168sUnlessConfigured() {
    Script script = new Script(ACCEPTS);
    script.connect();
    script.expect("SEW seq 0");
  }

  @Test
  @Tag("ACC-3.1.4.1-01")
  @Tag("ACC-3.1.5-02")
  @Tag("ACC-3.1.5-01")
  @DisplayName("RFC 9768 3.1.4.1, 3.1.5: a SYN asks twice, then not; the first answer counts")
  void shouldAskTwice() {
    Script script = asking();
    script.pass(Script.SECOND);
    script.expect("SAWE seq 0");
    script.pass(2 * Script.SECOND);
    script.expect("S seq 0");
    script.receive("SW. seq 0 ack 1 mss 1000");
    assertThat(mode(script)).isEqualTo("accurate");
    script.drain();
    script.receive("S. seq 0 ack 1 mss 1000");
    assertThat(mode(script)).isEqualTo("accurate");
  }

  @Test
  @Tag("ACC-3.2.3.2.2-01")
  @Tag("ACC-3.2.3.2.2-02")
  @Tag("ACC-3.1.5-03")
  @Tag("ACC-3.1.5-08")
  @DisplayName("RFC 9768 3.2.3.2.2, 3.1.5: a SYN-ACK is repeated without option, then without ECN")
  void shouldFallBackWhenTheSynAckGoesUnanswered() {
    Script script = asked(ACCEPTS, "SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2 acc 172:1,0,1");
    script.pass(Script.SECOND);
    script.expect("S. seq 0 ack 1 ace 2 acc -");
    script.pass(2 * Script.SECOND);
    script.expect("S. seq 0 ack 1 ace 0 acc -");
    script.receive(". seq 1 ack 1 ace 2");
    assertThat(mode(script)).isEqualTo("accurate, not capable");
    script.send(100);
    script.expect("P. seq 1 len 100 ecn 0 ace 5");
  }

  @Test
  @Tag("ACC-3.1.5-06")
  @DisplayName(
      "RFC 9768 3.1.5: the codepoint of the latest SYN counts, and no option is sent again")
  void shouldFeedBackTheLatestSyn() {
    Script script = asked(ACCEPTS, "SAWE seq 0 mss 1000 ecn 2");
    script.expect("S. seq 0 ack 1 ace 4 acc 172:1,0,1");
    script.receive("SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2 acc -");
  }

  @Test
  @Tag("ACC-3.1.5-01")
  @Tag("ACC-3.1.5-07")
  @Tag("ACC-3.1.5-08")
  @DisplayName("RFC 9768 3.1.5: a repeated SYN without ECN changes no mode, but nothing is capable")
  void shouldKeepTheModeWithoutSendingCapablePackets() {
    Script script = asked(ACCEPTS, "SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive(". seq 1 ack 1 ace 2");
    assertThat(mode(script)).isEqualTo("accurate, not capable");
    script.receive(". seq 1 ack 1 len 10 ecn 3 ace 5");
    script.expect(". seq 1 ack 11 ace 6");
  }

  @Test
  @Tag("ACC-3.1.5-04")
  @DisplayName("RFC 9768 3.1.5: SYNs of both kinds in one handshake reset it")
  void shouldResetContradictingSyns() {
    Script script = asked(ACCEPTS, "SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive("SEW seq 0 mss 1000");
    script.expect("R. seq 1 ace 5");
    assertThat(script.stack.connections()).isZero();

    script = asked(ACCEPTS, "SEW seq 0 mss 1000");
    script.expect("SE. seq 0 ack 1");
    script.receive("SAWE seq 0 mss 1000");
    script.expect("R. seq 1");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @Tag("ACC-3.1.2-04")
  @DisplayName("RFC 9768 3.1.2: ends that open at once answer each other as servers do")
  void shouldAgreeInASimultaneousOpen() {
    Script script = asking();
    script.receive("SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive("SW. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1 ace 5");
    assertThat(mode(script)).isEqualTo("accurate");
  }

  @ParameterizedTest(name = "{0} is told by ACE {1}, then by {2}")
  @CsvSource({"0, 2, 5", "1, 3, 5", "2, 4, 5", "3, 6, 6"})
  @Tag("ACC-3.2.2.1-01")
  @Tag("ACC-3.2.2.2-03")
  @Tag("ACC-3.2.3.2.1-03")
  @DisplayName("RFC 9768 3.2.2.1: the first acknowledgment tells of the SYN-ACK, before data")
  void shouldTellOfTheSynAck(int codepoint, int ace, int later) {
    Script script = asking();
    script.receive("SW. seq 0 ack 1 mss 1000 ecn " + codepoint);
    script.expect(". seq 1 ack 1 acc 172:1,0,1 ace " + ace);
    script.send(100);
    script.expect("P. seq 1 len 100 acc 172:1,0 ace " + later);
    script.send(100);
    script.expect("P. seq 101 len 100 acc - ace " + later);
  }

  @Test
  @Tag("ACC-3.2.2.1-02")
  @Tag("ACC-3.2.2.2-03")
  @DisplayName("RFC 9768 3.2.2.1: a repeated SYN-ACK is told of in the same way, and counted once")
  void shouldTellOfARepeatedSynAck() {
    Script script = asking();
    script.receive("SW. seq 0 ack 1 mss 1000 ecn 3");
    script.expect(". seq 1 ack 1 ace 6");
    script.receive("SW. seq 0 ack 1 mss 1000 ecn 2");
    script.expect(". seq 1 ack 1 ace 4");
    script.receive("SW. seq 0 ack 1 mss 1000 ecn 3");
    script.expect(". seq 1 ack 1 ace 6");
    script.receive("S. seq 0 ack 1 mss 1000 ecn 3");
    script.expect(". seq 1 ack 1 ace 6");
  }

  @ParameterizedTest(name = "ACE {0}: {1}")
  @CsvSource({
    "0, 'accurate, not capable'", "1, accurate", "2, accurate", "3, 'accurate, not capable'",
    "4, 'accurate, not capable'", "5, accurate", "6, 'accurate, not capable'", "7, accurate"
  })
  @Tag("ACC-3.2.2.1-03")
  @Tag("ACC-3.2.2.1-04")
  @Tag("ACC-3.2.2.3-01")
  @DisplayName(
      "RFC 9768 3.2.2.1, 3.2.2.3: a server takes ACE of the first acknowledgment as a code")
  void shouldTakeTheFirstAcknowledgmentAsACode(int ace, String expected) {
    Script script = asked(ACCEPTS, "SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive(". seq 1 ack 1 ace " + ace);
    assertThat(mode(script)).isEqualTo(expected);
    script.receive(". seq 1 ack 1 len 10 ecn 3 ace 5");
    script.expect(". seq 1 ack 11 ace 6");
  }

  @Test
  @Tag("ACC-3.2.2.2-02")
  @DisplayName("RFC 9768 3.2.2.2: a SYN with CE is not counted")
  void shouldNotCountTheSyn() {
    Script script = asked(ACCEPTS, "SAWE seq 0 mss 1000 ecn 3");
    script.expect("S. seq 0 ack 1 ace 6");
    script.receive(". seq 1 ack 1 ace 2");
    script.send(100);
    script.expect("P. seq 1 len 100 ace 5");
  }

  @Test
  @DisplayName("RFC 9768 3.2.2.2: a marked SYN or SYN-ACK reduces the first window to one segment")
  void shouldRespondToAMarkedHandshake() {
    Script script = asking();
    script.receive("SAW. seq 0 ack 1 win 65535 mss 1000");
    assertThat(connection(script).status().congestionWindow()).isEqualTo(1000);

    script = asked(ACCEPTS, "SAWE seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 ace 2");
    script.receive(". seq 1 ack 1 ace 6");
    assertThat(connection(script).status().congestionWindow()).isEqualTo(1000);
  }

  @Test
  @Tag("ACC-5.1-01")
  @DisplayName("RFC 9768 5.1: the acknowledgment of a cookie recalls that it was agreed on")
  void shouldSurviveASynCookie() {
    Script script = new Script(ACCEPTS.withBacklog(1));
    script.listen();
    script.theirPort = 39_999;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.theirPort = 40_000;
    script.receive("SAWE seq 0 mss 1000 ecn 2");
    script.expect("S. seq 0 ack 1 ace 4 acc 172:1,0,1");
    assertThat(script.stack.counters().synCookiesSent).isEqualTo(1);
    script.receive(". seq 1 ack 1 ace 2");
    assertThat(mode(script)).isEqualTo("accurate");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Tag("ACC-5.1-01")
  @DisplayName("RFC 9768 5.1: other acknowledgments of a cookie say that it was not")
  void shouldNotInventItFromASynCookie(int ace) {
    Script script = new Script(ACCEPTS.withBacklog(1));
    script.listen();
    script.theirPort = 39_999;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.theirPort = 40_000;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 acc -");
    script.receive(". seq 1 ack 1 ace " + ace);
    assertThat(mode(script)).isEqualTo("none");
  }
}
