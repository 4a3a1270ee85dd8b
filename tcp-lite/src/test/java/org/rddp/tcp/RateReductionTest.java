package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.established;
import static org.rddp.tcp.LossScript.queue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What leaves during a recovery: RFC 9937. */
class RateReductionTest {
  /** Ten segments in flight, and as many more wait. */
  private static Script tenAndMore(TcpSettings settings, int more) {
    Script script = established(settings);
    queue(script, 10 + more);
    script.turn();
    assertThat(script.drain()).isEqualTo(10);
    script.pass(LossScript.ROUND_TRIP);
    return script;
  }

  @Test
  @DisplayName("RFC 9937 6.1: what SACK reported before is not waited for")
  void shouldNotCountWhatWasReportedBefore() {
    Script script = tenAndMore(LossScript.sack(), 40);
    script.receive(". seq 1 ack 10001");
    assertThat(script.drain()).isEqualTo(20);
    script.pass(LossScript.ROUND_TRIP);
    script.receive(". seq 1 ack 10001 sack 11001-12001");
    script.receive(". seq 1 ack 10001 sack 11001-13001");
    assertThat(script.drain()).as("limited transmit").isEqualTo(2);
    int sent = 0;
    for (int i = 3; i <= 14; i++) {
      script.receive(". seq 1 ack 10001 sack 11001-" + (i + 11) + "001");
      sent += script.drain();
    }
    // Of 22 in flight 2 had been delivered: 10 for 20.
    assertThat(sent).isEqualTo(6);
  }

  @Test
  @DisplayName(
      "RFC 9937 6.2: without SACK, made up duplicates let no more leave than was in flight")
  void shouldNotBelieveEveryDuplicate() {
    Script script = tenAndMore(Script.plain(), 40);
    int sent = 0;
    for (int i = 0; i < 40; i++) {
      script.receive(". seq 1 ack 1");
      sent += script.drain();
    }
    assertThat(sent).isLessThanOrEqualTo(12);
  }
}
