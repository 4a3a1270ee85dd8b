package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The receiver's part in explicit congestion notification (RFC 3168 section 6.1.3) and in accurate
 * ECN (RFC 9768 sections 3.2, 3.2.2.5.1 and 3.2.3).
 */
class EcnEchoTest {
  private static final int CE = 3;

  private static TcpSettings settings() {
    return Script.plain().withEcn(true).withSelectiveAcknowledgment(true);
  }

  private static Script capable(TcpSettings settings) {
    Script script = new Script(settings);
    script.connect();
    script.expect("SEW seq 0");
    script.receive("SE. seq 0 ack 1 win 65535 mss 1000 sackok");
    script.expect(". seq 1 ack 1");
    script.send(1);
    script.expect("P. seq 1 len 1");
    script.receive(". seq 1 ack 2");
    script.handler.takeEvents();
    return script;
  }

  private static Script accurate(TcpSettings settings, String options) {
    Script script = new Script(settings.withAccurateEcn(AccurateEcn.ASK));
    script.connect();
    script.expect("SAWE seq 0");
    script.receive("SW. seq 0 ack 1 win 65535 mss 1000 acc 172:1,0,1 sackok" + options);
    script.expect(". seq 1 ack 1 ace 2 acc 172:1,0,1");
    script.send(1);
    script.expect("P. seq 1 len 1 ace 5");
    script.receive(". seq 1 ack 2 ace 5 acc 172:2,0,1" + options);
    script.handler.takeEvents();
    return script;
  }

  private static Script accurate() {
    return accurate(settings(), "");
  }

  private static String data(int sequence, int codepoint) {
    return ". seq " + sequence + " ack 2 len 100 ace 5 ecn " + codepoint;
  }

  /**
   * Two connections get the segments of a row, of 100 octets unless a segment says otherwise. The
   * answers, one for each segment, are those of RFC 3168 and those of RFC 9768; {@code -} is none.
   * Only the first knows CWR.
   */
  @ParameterizedTest(name = "{0} {4}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          RFC 3168 6.1.3: no ECE without congestion \
              | 1 ecn 2                                   \
              | . ack 101                                 \
              | . ack 101 ace 5 acc 172:101,0             |
          RFC 3168 6.1.3: CE sets ECE; RFC 9768 3.2: packets with CE are counted, and octets by codepoint \
              | 1 ecn 2; 101 ecn 3; 201 ecn 1; 301 ecn 0; 401 ecn 3; 501 ecn 3 \
              | . ack 101; E. ack 201; E. ack 301; E. ack 401; E. ack 501; E. ack 601 \
              | . ack 101 ace 5 acc 172:101,0; . ack 201 ace 6 acc 172:101,100; . ack 301 ace 6 acc 172:101,100,101;\
                . ack 401 ace 6 acc -; . ack 501 ace 7 acc 172:101,200,101; . ack 601 ace 0 acc 172:101,300,101 \
              | ACC-3.2-01 ACC-3.2-02 ACC-3.2.1-01 ACC-3.2.2-01 ACC-3.2.3.3-02
          RFC 9768 3.2: a train that something has merged counts as the packets that it was \
              | 1 len 4000 ecn 3                          \
              | E. ack 4001                               \
              | . ack 4001 ace 0 acc 172:1,4000           | ACC-3.2-01
          RFC 9768 3.2.3: where only ECT(1) arrives, it comes first \
              | 1 ecn 1; 101 ecn 2                        \
              | . ack 101; . ack 201                      \
              | . ack 101 ace 5 acc 174:101,0; . ack 201 ace 5 acc 172:101,0,101 | ACC-3.2.3-01
          a segment out of order and one that comes again count at once, and a FIN \
              | 101 ecn 3; 101 ecn 3; 1 ecn 2; F 201 len 0 ecn 3 \
              | E. ack 1 sack 101-201; E. ack 1; E. ack 201; E. ack 202 \
              | . ack 1 ace 6 sack 101-201; . ack 1 ace 7; . ack 201 ace 7; . ack 202 ace 0 | ACC-3.2-01
          RFC 3168 6.1.5, RFC 9768 3.2: CE outside of the window is ignored \
              | 1 ecn 2; 1 ecn 3; 30001 ecn 3             \
              | . ack 101; . ack 101; . ack 101           \
              | . ack 101 ace 5; . ack 101 ace 5; . ack 101 ace 5 | ACC-3.2-01
          RFC 3168 6.1.4: CE on a pure acknowledgment is ignored; RFC 9768 3.2: it counts \
              | 1 len 0 ecn 3; 1 ecn 2                    \
              | -; . ack 101                              \
              | -; . ack 101 ace 6 acc 172:101,0          | ACC-3.2-01
          RFC 3168 6.1.3: ECE stays in every acknowledgment until CWR has come \
              | 1 ecn 3; 101 ecn 2; 401 ecn 2; W 201 ecn 2; 301 ecn 2 \
              | E. ack 101; E. ack 201; E. ack 201; . ack 301; . ack 501 | |
          RFC 3168 6.1.3: CE in the segment with CWR is new congestion \
              | 1 ecn 3; W 101 ecn 3; W 201 ecn 2         \
              | E. ack 101; E. ack 201; . ack 301         | |
          """)
  void shouldEchoCongestion(
      String what, String arriving, String answers, String accurateAnswers, String clauses) {
    exchange(capable(settings()), arriving, "", answers);
    if (accurateAnswers != null) {
      exchange(accurate(), arriving, " ace 5", accurateAnswers);
    }
  }

  private static void exchange(Script script, String arriving, String counter, String answers) {
    String[] segments = arriving.split("; *");
    String[] expected = answers.split("; *");
    assertThat(expected).hasSameSizeAs(segments);
    for (int i = 0; i < segments.length; i++) {
      String segment = segments[i].replaceFirst("^([FW]?) ?(\\d+)", "$1. seq $2");
      script.receive(segment + " ack 2 len 100" + counter);
      if (!expected[i].equals("-")) {
        script.expect(expected[i]);
      }
      script.expectNothing();
    }
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: segments with data carry ECE too")
  void shouldEchoOnData() {
    Script script = capable(settings());
    script.receive(". seq 1 ack 2 len 100 ecn 3");
    script.expect("E. seq 2 ack 101");
    script.send(50);
    script.expect("PE. seq 2 ack 101 len 50");
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: without negotiation CE means nothing")
  void shouldNotEchoWithoutNegotiation() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 len 100 ecn 3");
    script.expect(". seq 1 ack 101");
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: an acknowledgment with ECE does not wait")
  void shouldEchoAtOnce() {
    Script script = capable(settings().withAcknowledgmentDelay(5000));
    script.receive(". seq 1 ack 2 len 100 ecn 2");
    script.expectNothing();
    script.pass(5000);
    script.expect(". seq 2 ack 101");
    script.receive(". seq 101 ack 2 len 100 ecn 3");
    script.expect("E. seq 2 ack 201");
  }

  @Test
  @DisplayName("RFC 3168 6.1: a reset carries no ECE")
  void shouldNotEchoInAReset() {
    Script script = capable(settings());
    script.receive(". seq 1 ack 2 len 100 ecn 3");
    script.expect("E. seq 2 ack 101");
    script.stream.abort();
    script.turn();
    script.expect("R. seq 2 ack 101");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "closed ABORTED");
  }

  @Test
  @Tag("ACC-3.2.3.1-01")
  @DisplayName("RFC 9768 3.2.3.1: counters of octets have 24 bits")
  void shouldWrapTheCountersOfOctets() {
    Script script = accurate(settings().withReceiveBuffer(1 << 16), "");
    int sent = 0;
    for (int i = 0; i < (1 << 24) / 1000; i++) {
      script.receive(". seq " + (1 + i * 1000) + " ack 2 len 1000 ace 5 ecn 2");
      script.stream.consumed(1000);
      script.drain();
      sent += 1000;
    }
    script.receive(". seq " + (1 + sent) + " ack 2 len 1000 ace 5 ecn 2");
    int expected = 1 + sent + 1000 - (1 << 24);
    script.expect(". seq 2 ace 5 acc 172:" + expected + ",0");
  }

  @Test
  @Tag("ACC-3.2.2.5.1-01")
  @DisplayName("RFC 9768 3.2.2.5.1: the first packet with CE is acknowledged at once")
  void shouldAcknowledgeTheFirstMarkAtOnce() {
    Script script = accurate(settings().withAcknowledgmentDelay(1_000_000), "");
    script.receive(data(1, 2));
    script.expectNothing();
    script.pass(1_000_000);
    script.expect(". seq 2 ack 101 ace 5");
    script.receive(data(101, CE));
    script.expect(". seq 2 ack 201 ace 6");
    script.receive(data(201, CE));
    script.expectNothing();
    script.receive(data(301, CE));
    script.expect(". seq 2 ack 401 ace 0");
  }

  @Test
  @Tag("ACC-3.2.2.5.1-02")
  @DisplayName("RFC 9768 3.2.2.5.1: in a burst no more than seven packets with CE wait")
  void shouldNotLetAceGoAroundInABurst() {
    Script script = accurate();
    String[] burst = new String[20];
    for (int i = 0; i < burst.length; i++) {
      burst[i] = data(1 + 100 * i, CE);
    }
    script.receiveTogether(burst);
    script.expect(". seq 2 ack 701 ace 4 acc 172:1,700");
    script.expect(". seq 2 ack 1401 ace 3 acc 172:1,1400");
    script.expect(". seq 2 ack 2001 ace 1 acc 172:1,2000");
    script.expectNothing();
  }

  @Test
  @Tag("ACC-3.2.2.5.1-02")
  @DisplayName("RFC 9768 3.2.2.5.1: the third acknowledgment with CE is acknowledged, without SACK")
  void shouldAcknowledgeMarkedAcknowledgments() {
    Script script = accurate();
    script.receive(". seq 1 ack 2 ace 5 ecn 3");
    script.receive(". seq 1 ack 2 ace 5 ecn 3");
    script.expectNothing();
    script.receive(". seq 1 ack 2 ace 5 ecn 3");
    script.expect(". seq 2 ack 1 ace 0 sack - acc -");
    script.expectNothing();
  }

  @Test
  @Tag("ACC-3.2.2.5.1-02")
  @DisplayName("RFC 9768 3.2.2.5.1: without SACK acknowledgments of acknowledgments are duplicates")
  void shouldNotAcknowledgeAcknowledgmentsWithoutSack() {
    Script script = accurate(settings().withSelectiveAcknowledgment(false), "");
    for (int i = 0; i < 4; i++) {
      script.receive(". seq 1 ack 2 ace 5 ecn 3");
    }
    script.expectNothing();
  }

  @Test
  @Tag("ACC-3.2.3.3-01")
  @Tag("ACC-3.2.3.3-03")
  @DisplayName("RFC 9768 3.2.3.3: two SACK blocks go before the option, the option before a third")
  void shouldShareTheRoomWithSack() {
    Script script = accurate(settings().withTimestamps(true), " ts 100 ecr 1");
    script.receive(data(201, 2) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 201-301 acc 172:101,0 ace 5");
    script.receive(data(401, 2) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 401-501,201-301 acc 172:201,0 ace 5");
    script.receive(data(601, 2) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 601-701,401-501 acc 172:301,0 ace 5");
    script.receive(data(801, 1) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 801-901,601-701,401-501 acc - ace 5");
    script.receive(data(1001, 0) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 1001-1101,801-901,601-701 acc - ace 5");
  }

  @Test
  @Tag("ACC-3.2.3.2.1-03")
  @DisplayName("RFC 9768 3.2.3.2.1: a full segment has no room, and a short one has the option")
  void shouldPutTheOptionWhereThereIsRoom() {
    Script script = accurate();
    script.receive(data(1, 2));
    script.expect(". seq 2 ack 101 ace 5 acc 172:101,0");
    script.receiveTogether(data(101, 2));
    script.drain();
    script.queue(1000);
    script.receive(data(201, CE));
    script.drain();
    script.receive(". seq 301 ack 1002 ace 5");
    script.send(100);
    script.expect("P. seq 1002 len 100 ace 6 acc -");
  }

  @Test
  @Tag("ACC-3.2.3.2.2-03")
  @DisplayName("RFC 9768 3.2.3.2.2: if the first segment with an option is lost, no more are sent")
  void shouldStopSendingOptionsThatTheFirstSegmentLost() {
    Script script = new Script(settings().withAccurateEcn(AccurateEcn.ASK));
    script.connect();
    script.expect("SAWE seq 0");
    script.receive("SW. seq 0 ack 1 win 65535 mss 1000 acc 172:1,0,1 sackok");
    script.expect(". seq 1 ack 1 ace 2 acc 172:1,0,1");
    script.send(100);
    script.expect("P. seq 1 len 100 ace 5 acc 172:1,0");
    script.pass(Script.SECOND);
    script.expect("P. seq 1 len 100 ace 5 acc -");
    script.receive(". seq 1 ack 101 len 100 ace 5 ecn 3");
    script.expect(". seq 101 ack 101 ace 6 acc -");
  }
}
