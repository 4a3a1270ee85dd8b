package org.rddp.tcp.loss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Proportional rate reduction. */
class ProportionalRateReductionTest {
  private static final int EMSS = 1000;

  private final ProportionalRateReduction reduction = new ProportionalRateReduction();

  /** Sends as many whole segments as may leave; returns how many. */
  private int send() {
    int sent = 0;
    while (reduction.allowance() >= EMSS) {
      reduction.sent(EMSS);
      sent++;
    }
    return sent;
  }

  @Test
  @DisplayName("RFC 6937 3.1: of twenty segments delivered ten leave, one for every second")
  void shouldReduceInProportion() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    reduction.urgent();
    int sent = 0;
    StringBuilder pattern = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      int pipe = 19 * EMSS - i * EMSS + sent * EMSS;
      reduction.acknowledged(EMSS, pipe, false, EMSS);
      int now = send();
      sent += now;
      pattern.append(now);
    }
    assertThat(sent).isEqualTo(10);
    assertThat(pattern.toString()).startsWith("1001010101010101");
  }

  @Test
  @DisplayName("RFC 6937 3.1: CUBIC's seven tenths of the delivered octets are sent")
  void shouldReduceByWhateverTheThresholdIs() {
    reduction.begin(7 * EMSS, 10 * EMSS);
    int sent = 0;
    for (int i = 0; i < 10; i++) {
      reduction.acknowledged(EMSS, 10L * EMSS, false, EMSS);
      sent += send();
    }
    assertThat(sent).isEqualTo(7);
  }

  @Test
  @DisplayName("RFC 6937 3: the first retransmission leaves at once")
  void shouldLetTheFirstRetransmissionGo() {
    reduction.begin(5 * EMSS, 10 * EMSS);
    reduction.acknowledged(0, 9 * EMSS, false, EMSS);
    assertThat(send()).isZero();
    reduction.urgent();
    reduction.acknowledged(0, 9 * EMSS, false, EMSS);
    assertThat(send()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 6937 3.1, CRB: below the threshold no more leaves than was delivered")
  void shouldConservePackets() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    reduction.acknowledged(3 * EMSS, 2 * EMSS, false, EMSS);
    assertThat(send()).isEqualTo(3);
    reduction.acknowledged(EMSS, 4 * EMSS, false, EMSS);
    assertThat(send()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 6937 3.1, SSRB: with progress one segment more, as in slow start")
  void shouldGrowBackWithProgress() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    reduction.acknowledged(3 * EMSS, 2 * EMSS, true, EMSS);
    assertThat(send()).isEqualTo(4);
    reduction.acknowledged(EMSS, 5 * EMSS, true, EMSS);
    assertThat(send()).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 6937 3.1: the threshold limits the octets in flight")
  void shouldNotExceedTheThreshold() {
    reduction.begin(5 * EMSS, 20 * EMSS);
    reduction.acknowledged(15 * EMSS, 4 * EMSS, true, EMSS);
    assertThat(send()).isEqualTo(1);
  }
}
