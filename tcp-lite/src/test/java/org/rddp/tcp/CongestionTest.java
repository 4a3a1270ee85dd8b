package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Congestion control of a connection. */
class CongestionTest {
  private static int fill(Script script) {
    int sent = 0;
    while (sent < 100 && script.stream.sendable()) {
      script.queue(1000);
      sent++;
    }
    script.turn();
    script.drain();
    return sent;
  }

  @Test
  @DisplayName("RFC 5681 3.1: acknowledgments that come in one burst all open the window")
  void shouldGrowByEveryAcknowledgmentOfABurst() {
    Script script = Script.established();
    assertThat(fill(script)).isEqualTo(10);
    String[] burst = new String[10];
    for (int i = 0; i < 10; i++) {
      burst[i] = ". seq 1 ack " + (1001 + i * 1000);
    }
    script.receiveTogether(burst);
    assertThat(fill(script)).isEqualTo(20);
  }

  @Test
  @DisplayName("RFC 9438 5.8: once the full window has been acknowledged, less does not open it")
  void shouldNotGrowByWhatDoesNotFillTheWindow() {
    Script script = Script.established();
    assertThat(fill(script)).isEqualTo(10);
    script.receive(". seq 1 ack 10001");
    for (int i = 1; i <= 5; i++) {
      script.send(1000);
      script.receive(". seq 1 ack " + (10_001 + i * 1000));
    }
    script.drain();
    assertThat(fill(script)).isEqualTo(20);
  }

  @Test
  @DisplayName("No congestion control: a loss does not hold anything back")
  void shouldNotBeHeldBackByALossWithoutCongestionControl() {
    Script script = Script.established(Script.plain().withCongestion(CongestionAlgorithm.NONE));
    for (int i = 0; i < 20; i++) {
      script.queue(1000);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(20);
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    script.expect(". seq 1 len 1000");
    for (int i = 0; i < 30; i++) {
      script.queue(1000);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(30);
  }
}
