package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.tcp.storage.ChallengeLimit;

/** Attacks by a host that sees none of our segments have no effect (RFC 5961). */
class BlindAttackTest {
  /** Section 3: resets. The window is 20000 octets. */
  @Nested
  class Resets {
    @Test
    @DisplayName("RFC 5961 3.2: a RST exactly at RCV.NXT ends the connection")
    void shouldObeyAResetExactlyWhereWeAre() {
      Script script = Script.established();
      script.receive(". seq 1 ack 1 len 10");
      script.expect(". seq 1 ack 11");
      script.handler.takeEvents();
      script.receive("R seq 11");
      assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
      script.expectNothing();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 100, 20_000})
    @DisplayName("RFC 5961 3.2: a RST elsewhere in the window draws a challenge ACK")
    void shouldChallengeAResetElsewhereInTheWindow(int sequence) {
      Script script = Script.established();
      script.receive("R seq " + sequence);
      script.expect(". seq 1 ack 1");
      assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
      assertThat(script.stack.counters().challengeAcknowledgments).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -5, 20_001, 20_002, 1_000_000})
    @DisplayName("RFC 5961 3.2: a RST outside of the window is dropped silently")
    void shouldIgnoreAResetOutsideOfTheWindow(int sequence) {
      Script script = Script.established();
      script.receive("R seq " + sequence);
      script.expectNothing();
      assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
    }

    @Test
    @DisplayName("RFC 5961 3.2: the peer's answer to the challenge ends the connection")
    void shouldObeyTheAnswerToTheChallenge() {
      Script script = Script.established();
      script.receive("R seq 500");
      script.expect(". seq 1 ack 1");
      // A peer that has forgotten the connection answers with our acknowledgment number.
      script.receive("R seq 1");
      assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
    }

    @Test
    @DisplayName("RFC 5961 3.2: the ACK flag and number of a RST do not matter")
    void shouldNotLookAtTheAcknowledgmentOfAReset() {
      Script script = Script.established();
      script.receive("R. seq 1 ack 1000000");
      assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
    }

    @Test
    @DisplayName("RFC 9293 3.10.7.4: in SYN-RECEIVED a RST elsewhere in the window is challenged")
    void shouldChallengeAResetInSynReceived() {
      Script script = new Script();
      script.listen();
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
      script.receive("R seq 77");
      script.expect(". seq 1 ack 1");
      assertThat(script.stack.connections()).isEqualTo(1);
    }
  }

  /** Section 4: SYNs. */
  @Nested
  class Syns {
    @ParameterizedTest
    @ValueSource(strings = {"S seq 1", "S seq 500", "S seq 0", "S seq 900000", "S. seq 3 ack 1"})
    @DisplayName("RFC 5961 4.2: a SYN anywhere draws a challenge ACK and nothing else")
    void shouldChallengeASynWhateverItsNumber(String syn) {
      Script script = Script.established();
      script.receive(syn);
      script.expect(". seq 1 ack 1");
      script.expectNothing();
      assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
      assertThat(script.stack.counters().challengeAcknowledgments).isEqualTo(1);
    }

    @Test
    @DisplayName("RFC 5961 4.2: a peer that has restarted answers the challenge with a RST")
    void shouldLetAPeerThatHasRestartedConnectAgain() {
      Script script = Script.established();
      script.receive("S seq 700");
      script.expect(". seq 1 ack 1");
      script.receive("R seq 1");
      assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
      assertThat(script.stack.connections()).isZero();
    }

    @Test
    @DisplayName("RFC 5961 4.2: the payload and the RST of a segment with SYN do not count")
    void shouldTakeNothingFromASegmentWithSyn() {
      Script script = Script.established();
      script.receive("S. seq 1 ack 1 len 10");
      script.expect(". seq 1 ack 1");
      assertThat(script.handler.takeEvents()).isEmpty();
    }
  }

  /** Section 5: acknowledgments. */
  @Nested
  class Acknowledgments {
    @Test
    @DisplayName("RFC 5961 5.2: an ACK of octets never sent is challenged, and its payload dropped")
    void shouldChallengeAnAcknowledgmentOfWhatWasNeverSent() {
      Script script = Script.established();
      script.receive(". seq 1 ack 2 len 10");
      script.expect(". seq 1 ack 1");
      assertThat(script.handler.takeEvents()).isEmpty();
      assertThat(script.stack.counters().challengeAcknowledgments).isEqualTo(1);
    }

    @Test
    @DisplayName("RFC 5961 5.2: an ACK older than the largest window is challenged")
    void shouldChallengeAnAcknowledgmentThatIsTooOld() {
      Script script = Script.established();
      script.receive(". seq 1 ack 1 win 1000");
      script.receive(". seq 1 ack " + -65535 + " len 10");
      script.expect(". seq 1 ack 1");
      assertThat(script.handler.takeEvents()).isEmpty();
    }

    @Test
    @DisplayName("RFC 5961 5.2: an ACK that is only a little old lets the payload in")
    void shouldTakeThePayloadOfASegmentWithAnOldAcknowledgment() {
      Script script = Script.established();
      script.send(100);
      script.expect("P. seq 1 len 100");
      script.receive(". seq 1 ack 101");
      script.receive(". seq 1 ack 50 len 10");
      script.expect(". seq 101 ack 11");
      assertThat(script.handler.takeEvents()).containsExactly("1+10");
    }
  }

  /** Section 7: how many challenge ACKs there may be. */
  @Nested
  class Limit {
    @Test
    @DisplayName("RFC 5961 7: challenge ACKs in a second are bounded over all connections")
    void shouldBoundChallengesPerSecond() {
      Script script = Script.established(Script.plain().withChallengeAcknowledgments(10));
      for (int i = 0; i < 100; i++) {
        script.receive("R seq 77");
      }
      int sent = script.drain();
      assertThat(sent).isBetween(5, 10);
      assertThat(script.stack.counters().challengesSuppressed).isEqualTo(100 - sent);
      script.pass(Script.SECOND);
      script.receive("R seq 77");
      script.expect(". seq 1 ack 1");
    }

    @Test
    @DisplayName("RFC 5961 7: an answer to a duplicate is no challenge and always leaves")
    void shouldAnswerDuplicatesWhateverTheLimit() {
      Script script = Script.established(Script.plain().withChallengeAcknowledgments(1));
      for (int i = 0; i < 5; i++) {
        script.receive("R seq 77");
      }
      script.drain();
      script.receive(". seq 0 ack 1");
      script.expect(". seq 1 ack 1");
    }

    @Test
    @DisplayName("RFC 9293 3.10.7.4 first: ends that disagree do not answer each other forever")
    void shouldNotAnswerEmptySegmentsOutsideOfTheWindowWithoutEnd() {
      Script script = Script.established(Script.plain());
      for (int i = 0; i < 100; i++) {
        script.receive(". seq 1000001 ack 1");
      }
      script.expect(". seq 1 ack 1");
      script.expectNothing();
      assertThat(script.stack.counters().answersSuppressed).isEqualTo(99);
      script.pass(Script.SECOND / 5);
      script.receive(". seq 1000001 ack 1");
      script.expect(". seq 1 ack 1");
    }

    @Test
    @DisplayName("CVE-2016-5696: the limit is another one each second")
    void shouldDrawTheLimitAnew() {
      ChallengeLimit limit = new ChallengeLimit(new SplittableRandom(1), 1000);
      int first = count(limit, 0);
      int different = 0;
      for (int second = 1; second <= 20; second++) {
        int now = count(limit, second * Script.SECOND);
        assertThat(now).isBetween(500, 1000);
        different += now == first ? 0 : 1;
      }
      assertThat(different).isGreaterThan(15);
    }

    private static int count(ChallengeLimit limit, long now) {
      int count = 0;
      while (limit.tryAcquire(now + count)) {
        count++;
      }
      return count;
    }
  }
}
