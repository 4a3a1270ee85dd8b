package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.tcp.handshake.SynCookies;
import org.rddp.wire.TcpOptions;

/** Handshakes beyond the backlog, answered without state (RFC 4987 section 3.6). */
class CookieHandshakeTest {
  private static final TcpSettings NARROW = Script.plain().withBacklog(1);

  /** A stack whose backlog of one is taken by a peer's port 1. */
  private static Script flooded(TcpSettings settings) {
    Script script = new Script(settings);
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return script.handler;
    });
    script.theirPort = 1;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.theirPort = 40000;
    return script;
  }

  private static TcpConnection connection(Script script) {
    return (TcpConnection) script.stream;
  }

  @Test
  @DisplayName("RFC 4987 3.6: a SYN beyond the backlog is answered, and nothing is kept of it")
  void shouldAnswerWithoutState() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1 mss 1460");
    assertThat(script.stack.connections()).isEqualTo(1);
    assertThat(script.stack.counters().synCookiesSent).isEqualTo(1);
    assertThat(script.stack.counters().synsDropped).isZero();
  }

  @Test
  @DisplayName("RFC 4987 3.6: the acknowledgment of a cookie makes the connection")
  void shouldOpenFromTheAcknowledgment() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1 win 5000");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    assertThat(script.stack.counters().synCookiesAccepted).isEqualTo(1);
    assertThat(script.stack.counters().established).isEqualTo(1);
    script.send(100);
    script.expect("P. seq 1 ack 1 len 100");
    script.receive(". seq 1 ack 101 len 10");
    script.expect(". seq 101 ack 11");
    assertThat(script.handler.takeEvents()).containsExactly("1+10");
  }

  @Test
  @DisplayName("RFC 4987 3.6: when the acknowledgment is lost, the first data brings the cookie")
  void shouldOpenFromTheFirstData() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive("P. seq 1 ack 1 len 20");
    assertThat(script.handler.takeEvents()).containsExactly("open", "1+20");
    script.expect(". seq 1 ack 21");
  }

  @Test
  @DisplayName("RFC 4987 3.6: no cookies while the backlog has room")
  void shouldMakeNoCookieWhileThereIsRoom() {
    Script script = new Script(NARROW.withBacklog(2));
    script.listen();
    for (int port = 1; port <= 2; port++) {
      script.theirPort = port;
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
    }
    assertThat(script.stack.connections()).isEqualTo(2);
    assertThat(script.stack.counters().synCookiesSent).isZero();
  }

  @Test
  @DisplayName("RFC 4987 3.6: switched off, SYNs beyond the backlog are dropped")
  void shouldDropSynsWhenOff() {
    Script script = flooded(NARROW.withSynCookies(false));
    script.receive("S seq 0 mss 1000");
    script.expectNothing();
    assertThat(script.stack.counters().synsDropped).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 4987 3.6: an acknowledgment is reset while no cookie is valid")
  void shouldResetAcknowledgmentsWhileNoCookieIsValid() {
    Script script = new Script(NARROW);
    script.listen();
    script.receive(". seq 1 ack 77");
    script.expect("R seq 77");
    assertThat(script.stack.counters().synCookiesFailed).isZero();
  }

  @Test
  @DisplayName("RFC 4987 3.6: a forged cookie is counted and reset")
  void shouldResetAForgedCookie() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 17");
    script.expect("R seq 17");
    assertThat(script.stack.counters().synCookiesFailed).isEqualTo(1);
    assertThat(script.stack.connections()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 4987 3.6: a cookie is good for its own port and sequence number only")
  void shouldResetACookieOfAnotherConnection() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.theirPort++;
    script.receive(". seq 1 ack 1");
    script.expect("R seq 1");
    script.theirPort--;
    script.receive(". seq 2 ack 1");
    script.expectNothing();
    assertThat(script.handler.takeEvents()).isEmpty();
    script.receive(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
  }

  @Test
  @DisplayName("RFC 4987 3.6: segments after the one that acknowledges the cookie are not reset")
  void shouldWaitForTheSegmentThatBringsTheCookie() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive("P. seq 21 ack 1 len 20");
    script.expectNothing();
    assertThat(script.stack.counters().synCookiesFailed).isEqualTo(1);
    script.receive("P. seq 1 ack 1 len 20");
    script.expect(". seq 1 ack 21");
    assertThat(script.handler.takeEvents()).containsExactly("open", "1+20");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.2: when no cookie can be about any more, everything is reset")
  void shouldResetAgainWhenCookiesAreStale() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.pass(2 * SynCookies.PERIOD);
    script.drain();
    script.receive("P. seq 21 ack 1 len 20");
    script.expect("R seq 1");
  }

  /**
   * The peer's first SYN was answered by a cookie, which is returned, its second by a handshake.
   */
  private static int answeredTwice(Script script, String syn) {
    script.receive(syn);
    script.expect("S. seq 0 ack 1");
    int cookie = script.ourSequence;
    script.theirPort = 1;
    script.receive("R seq 1");
    script.theirPort = 40000;
    script.receive(syn);
    script.expect("S. seq 0 ack 1");
    assertThat(script.ourSequence).isNotEqualTo(cookie);
    assertThat(script.stack.connections()).isEqualTo(1);
    return cookie;
  }

  @Test
  @DisplayName(
      "RFC 4987 3.6: a peer may acknowledge the cookie although its repeated SYN found room")
  void shouldOpenByACookieInSynReceived() {
    Script script = flooded(NARROW);
    script.ourSequence = answeredTwice(script, "S seq 0 mss 1000");
    script.receive("P. seq 1 ack 1 len 20");
    script.expect(". seq 1 ack 21");
    assertThat(script.handler.takeEvents()).containsExactly("open", "1+20");
    assertThat(script.stack.connections()).isEqualTo(1);
    assertThat(script.stack.counters().synCookiesAccepted).isEqualTo(1);
    script.send(100);
    script.expect("P. seq 1 ack 21 len 100");
  }

  @Test
  @DisplayName("RFC 4987 3.6: segments after the cookie's are not reset in SYN-RECEIVED either")
  void shouldWaitForTheCookieInSynReceived() {
    Script script = flooded(NARROW);
    int cookie = answeredTwice(script, "S seq 0 mss 1000");
    int answer = script.ourSequence;
    script.ourSequence = cookie;
    script.receive("P. seq 21 ack 1 len 20");
    script.expectNothing();
    script.receive(". seq 1 ack 17");
    script.expect("R seq 17");
    script.receive("P. seq 1 ack 1 len 20");
    script.expect(". seq 1 ack 21");
    script.ourSequence = answer;
    script.receive(". seq 21 ack 1");
    script.drain();
    assertThat(script.handler.takeEvents()).containsExactly("open", "1+20");
  }

  @Test
  @DisplayName("RFC 4987 3.6: a peer that takes the handshake's answer, not the cookie, may do so")
  void shouldOpenByTheHandshakeAfterACookie() {
    Script script = flooded(NARROW);
    answeredTwice(script, "S seq 0 mss 1000");
    script.receive(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    assertThat(script.stack.counters().synCookiesAccepted).isZero();
  }

  @Test
  @DisplayName("RFC 4987 3.6: a connection by cookie has the options of the cookie's answer")
  void shouldHaveTheOptionsOfTheAnswerTaken() {
    Script script = flooded(TcpSettings.DEFAULTS.withBacklog(1));
    script.ourSequence = answeredTwice(script, "S seq 0 mss 1460 ws 9 sackok");
    script.receive(". seq 1 ack 1 win 5000");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    TcpConnection connection = connection(script);
    assertThat(connection.agreed.windowScale() || connection.agreed.sack() || connection.ecn)
        .isFalse();
  }

  @Test
  @DisplayName("RFC 4987 3.6: a cookie of another SYN does not take the place of a handshake")
  void shouldNotReplaceAHandshakeByACookieOfAnotherSyn() {
    Script script = flooded(NARROW);
    int cookie = answeredTwice(script, "S seq 0 mss 1000");
    script.ourSequence = cookie;
    script.receive(". seq 2 ack 1");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.connections()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 4987 3.6: a cookie lasts for a period at least, and for two at most")
  void shouldRefuseAStaleCookie() {
    Script young = flooded(NARROW);
    young.receive("S seq 0 mss 1000");
    young.expect("S. seq 0 ack 1");
    young.now += SynCookies.PERIOD;
    young.receive(". seq 1 ack 1");
    assertThat(young.handler.takeEvents()).containsExactly("open");

    Script old = flooded(NARROW);
    old.receive("S seq 0 mss 1000");
    old.expect("S. seq 0 ack 1");
    old.now += 2 * SynCookies.PERIOD - 1;
    old.theirPort = 2;
    old.receive("S seq 0 mss 1000");
    old.drain();
    old.receive("S seq 0 mss 1000");
    old.drain();
    old.theirPort = 40000;
    old.receive(". seq 1 ack 1");
    assertThat(old.handler.takeEvents()).isEmpty();
    assertThat(old.stack.counters().synCookiesAccepted).isZero();
  }

  @ParameterizedTest
  @CsvSource({"9000, 8960", "1460, 1460", "1459, 1440", "1400, 1360", "536, 536", "300, 216"})
  @DisplayName("RFC 4987 3.6: the cookie encodes the MSS, or the next smaller value that it can")
  void shouldEncodeTheMss(int mss, int encoded) {
    SynCookies cookies = new SynCookies(new SplittableRandom(1));
    int cookie = cookies.make(99, 5, mss, 0);
    assertThat(cookies.check(99, 5, cookie, 0)).isEqualTo(encoded);
    assertThat(cookies.check(99, 5, cookie, SynCookies.PERIOD)).isEqualTo(encoded);
    assertThat(cookies.check(99, 5, cookie, 2 * SynCookies.PERIOD)).isZero();
    assertThat(cookies.check(98, 5, cookie, 0)).isZero();
    assertThat(cookies.check(99, 4, cookie, 0)).isZero();
    for (int bit = 0; bit < 32; bit++) {
      assertThat(cookies.check(99, 5, cookie ^ (1 << bit), 0)).as("bit " + bit).isZero();
    }
  }

  @Test
  @DisplayName("RFC 9293 3.7.1: a SYN without MSS means 536; one of less than 216 means 216")
  void shouldAssumeTheDefaultMss() {
    Script script = flooded(NARROW);
    script.receive("S seq 0");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(script.stream.emss()).isEqualTo(536);
    script = flooded(NARROW);
    script.receive("S seq 0 mss 1");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(script.stream.emss()).isEqualTo(216);
  }

  @Test
  @DisplayName("RFC 4987 3.6: with timestamps, window scale, SACK and ECN survive the cookie")
  void shouldEncodeOptionsInTheTimestamp() {
    TcpSettings all = TcpSettings.DEFAULTS.withBacklog(1);
    Script script = flooded(all);
    script.receive("SEW seq 0 mss 1460 ws 9 sackok ts 100");
    script.expect("SE. seq 0 ack 1 mss 1460 ws 5 sackok ecr 100");
    int stamp = script.lastTimestamp();
    script.receive(". seq 1 ack 1 win 100 ts 101 ecr " + stamp);
    assertThat(script.handler.takeEvents()).containsExactly("open");
    TcpConnection connection = connection(script);
    assertThat(connection.agreed.timestamps()).isTrue();
    assertThat(connection.agreed.windowScale()).isTrue();
    assertThat(connection.agreed.sack()).isTrue();
    assertThat(connection.ecn).isTrue();
    script.send(1448);
    script.send(1448);
    assertThat(script.drain()).as("a window of 100 << 9").isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 4987 3.6: the cookie's answer offers nothing that the SYN does not")
  void shouldOfferNothingThatThePeerDoesNot() {
    TcpSettings all = TcpSettings.DEFAULTS.withBacklog(1);
    Script script = flooded(all);
    script.receive("S seq 0 mss 1460 ts 100");
    script.expect("S. seq 0 ack 1 ws -1 sackno ecr 100");
    script.receive(". seq 1 ack 1 ts 101 ecr " + script.lastTimestamp());
    TcpConnection connection = connection(script);
    assertThat(connection.agreed.timestamps()).isTrue();
    assertThat(connection.agreed.windowScale() || connection.agreed.sack() || connection.ecn)
        .isFalse();
  }

  @Test
  @DisplayName("RFC 4987 3.6: without timestamps nothing but the MSS can be encoded")
  void shouldOfferOnlyTheMssWithoutTimestamps() {
    Script script = flooded(TcpSettings.DEFAULTS.withBacklog(1));
    script.receive("SEW seq 0 mss 1460 ws 9 sackok");
    script.expect("S. seq 0 ack 1 ws -1 sackno");
    script.receive(". seq 1 ack 1");
    TcpConnection connection = connection(script);
    assertThat(connection.agreed.windowScale() || connection.agreed.sack() || connection.ecn)
        .isFalse();
  }

  @Test
  @DisplayName("RFC 7323 4: the timestamp of a cookie is not ahead of the clock")
  void shouldNotStampAheadOfTheClock() {
    TcpOptions none = new TcpOptions();
    for (int clock = -200; clock < 200; clock++) {
      int stamp = SynCookies.timestamp(clock, true, true, none);
      assertThat(clock - stamp).isBetween(0, 63);
      assertThat(SynCookies.windowScale(stamp)).isEqualTo(-1);
      assertThat(SynCookies.sack(stamp) && SynCookies.ecn(stamp)).isTrue();
    }
  }

  @Test
  @DisplayName(
      "RFC 4987 3.6: the round trip of a cookie is unknown, so the first timeout is a second")
  void shouldNotMeasureTheRoundTripOfACookie() {
    Script script = flooded(NARROW);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(connection(script).roundTrip()).isZero();
  }

  @Test
  @DisplayName("RFC 4987 3.6: a cookie does not open more connections than there may be")
  void shouldHoldToTheLimitOfConnections() {
    Script script = flooded(NARROW.withConnections(2));
    script.theirPort = 2;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    int cookie = script.ourSequence;
    script.theirPort = 3;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.theirPort = 2;
    script.ourSequence = cookie;
    script.receive(". seq 1 ack 1");
    assertThat(script.stack.connections()).isEqualTo(2);
    assertThat(script.stack.counters().synCookiesAccepted).isEqualTo(1);
    assertThat(script.stack.counters().synsDropped).isEqualTo(1);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 4987 3.6: a flood of forged acknowledgments leaves no state")
  void shouldKeepNothingOfAFlood() {
    Script script = flooded(NARROW);
    SplittableRandom random = new SplittableRandom(4);
    for (int i = 0; i < 2000; i++) {
      script.theirPort = random.nextInt(2, 65536);
      script.receive(
          random.nextBoolean() ? "S seq 0 mss 1000" : ". seq 1 ack " + random.nextInt(1, 1 << 30));
    }
    assertThat(script.stack.connections()).isEqualTo(1);
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
    assertThat(script.stack.counters().synCookiesFailed).isPositive();
    // One forged number in 256 might be a cookie's, and is not answered.
    assertThat(script.drain()).isBetween(1980, 2000);
  }
}
