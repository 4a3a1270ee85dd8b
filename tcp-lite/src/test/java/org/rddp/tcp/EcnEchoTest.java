package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The receiver's part in explicit congestion notification (RFC 3168 section 6.1.3). */
class EcnEchoTest {
  private static final int CE = 3;

  private static Script capable(TcpSettings settings) {
    Script script = new Script(settings.withEcn(true));
    script.connect();
    script.expect("SEW seq 0");
    script.receive("SE. seq 0 ack 1 win 65535 mss 1000");
    script.expect(". seq 1 ack 1");
    script.handler.takeEvents();
    return script;
  }

  private static Script capable() {
    return capable(Script.plain());
  }

  private static String data(int sequence, int codepoint) {
    return ". seq " + sequence + " ack 1 len 100 ecn " + codepoint;
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: no ECE without congestion")
  void shouldNotEchoWithoutCongestion() {
    Script script = capable();
    script.receive(data(1, 2));
    script.expect(". seq 1 ack 101");
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: CE on data sets ECE in the acknowledgment")
  void shouldEchoCongestion() {
    Script script = capable();
    script.receive(data(1, CE));
    script.expect("E. seq 1 ack 101");
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: ECE stays in every acknowledgment until CWR has come")
  void shouldEchoUntilThePeerHasReducedItsWindow() {
    Script script = capable();
    script.receive(data(1, CE));
    script.expect("E. seq 1 ack 101");
    script.receive(data(101, 2));
    script.expect("E. seq 1 ack 201");
    script.receive(data(401, 2));
    script.expect("E. seq 1 ack 201");
    script.receive("W. seq 201 ack 1 len 100 ecn 2");
    script.expect(". seq 1 ack 301");
    script.receive(data(301, 2));
    script.expect(". seq 1 ack 501");
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: CE in the segment with CWR is new congestion")
  void shouldEchoCongestionThatComesWithCwr() {
    Script script = capable();
    script.receive(data(1, CE));
    script.expect("E. seq 1 ack 101");
    script.receive("W. seq 101 ack 1 len 100 ecn 3");
    script.expect("E. seq 1 ack 201");
    script.receive("W. seq 201 ack 1 len 100 ecn 2");
    script.expect(". seq 1 ack 301");
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: segments with data carry ECE too")
  void shouldEchoOnData() {
    Script script = capable();
    script.receive(data(1, CE));
    script.expect("E. seq 1 ack 101");
    script.send(50);
    script.expect("PE. seq 1 ack 101 len 50");
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: CE on a segment out of order counts at once")
  void shouldEchoCongestionOfAnEarlySegment() {
    Script script = capable();
    script.receive(data(101, CE));
    script.expect("E. seq 1 ack 1");
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: without negotiation CE means nothing")
  void shouldNotEchoWithoutNegotiation() {
    Script script = Script.established();
    script.receive(data(1, CE));
    script.expect(". seq 1 ack 101");
  }

  @Test
  @DisplayName("RFC 3168 6.1.4: CE on a pure acknowledgment is ignored")
  void shouldIgnoreCongestionOfAnAcknowledgment() {
    Script script = capable();
    script.receive(". seq 1 ack 1 ecn 3");
    script.receive(data(1, 2));
    script.expect(". seq 1 ack 101");
  }

  @Test
  @DisplayName("RFC 3168 6.1.5: CE outside of the window is ignored")
  void shouldIgnoreCongestionOutsideOfTheWindow() {
    Script script = capable();
    script.receive(data(1, 2));
    script.expect(". seq 1 ack 101");
    script.receive(data(1, CE));
    script.expect(". seq 1 ack 101");
    script.receive(data(30_001, CE));
    script.expect(". seq 1 ack 101");
  }

  @Test
  @DisplayName("RFC 3168 6.1.3: an acknowledgment with ECE does not wait")
  void shouldEchoAtOnce() {
    Script script = capable(Script.plain().withAcknowledgmentDelay(5000));
    script.receive(data(1, 2));
    script.expectNothing();
    script.pass(5000);
    script.expect(". seq 1 ack 101");
    script.receive(data(101, CE));
    script.expect("E. seq 1 ack 201");
  }

  @Test
  @DisplayName("RFC 3168 6.1: a reset carries no ECE")
  void shouldNotEchoInAReset() {
    Script script = capable();
    script.receive(data(1, CE));
    script.expect("E. seq 1 ack 101");
    script.stream.abort();
    script.turn();
    script.expect("R. seq 1 ack 101");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "closed ABORTED");
  }
}
