package org.rddp.tcp.loss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Proportional rate reduction. */
class ProportionalRateReductionTest {
  private static final int EMSS = 1000;

  private final ProportionalRateReduction reduction = new ProportionalRateReduction();
  private long inFlight;

  /** Processes an acknowledgment that leaves octets in flight. */
  private void acknowledge(int delivered, long remaining, boolean progress) {
    inFlight = remaining;
    reduction.acknowledged(delivered, inFlight, progress, EMSS);
  }

  /** Sends as many whole segments as may leave; returns how many. */
  private int send() {
    int sent = 0;
    while (reduction.allowance(inFlight) >= EMSS) {
      reduction.sent(EMSS);
      inFlight += EMSS;
      sent++;
    }
    return sent;
  }

  @Test
  @DisplayName("RFC 9937 6.2: of twenty segments delivered ten leave, one for every second")
  void shouldReduceInProportion() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    reduction.urgent();
    int sent = 0;
    StringBuilder pattern = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      acknowledge(EMSS, 19 * EMSS - i * EMSS + sent * EMSS, false);
      int now = send();
      sent += now;
      pattern.append(now);
    }
    assertThat(sent).isEqualTo(10);
    assertThat(pattern.toString()).startsWith("1001010101010101");
  }

  @Test
  @DisplayName("RFC 9937 6.2: CUBIC's seven tenths of the delivered octets are sent")
  void shouldReduceByWhateverTheThresholdIs() {
    reduction.begin(7 * EMSS, 10 * EMSS);
    int sent = 0;
    for (int i = 0; i < 10; i++) {
      acknowledge(EMSS, 10 * EMSS, false);
      sent += send();
    }
    assertThat(sent).isEqualTo(7);
  }

  @Test
  @DisplayName("RFC 9937 6.2: the first retransmission leaves at once")
  void shouldLetTheFirstRetransmissionGo() {
    reduction.begin(5 * EMSS, 10 * EMSS);
    acknowledge(0, 9 * EMSS, false);
    assertThat(send()).isZero();
    reduction.urgent();
    acknowledge(0, 9 * EMSS, false);
    assertThat(send()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9937 6.2: an acknowledgment that delivers nothing changes nothing")
  void shouldIgnoreAnAcknowledgmentThatDeliversNothing() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    acknowledge(3 * EMSS, 2 * EMSS, false);
    acknowledge(0, 2 * EMSS, true);
    assertThat(send()).isEqualTo(3);
  }

  @Test
  @DisplayName("RFC 9937 6.2: segments found lost without an acknowledgment are sent again")
  void shouldLetSegmentsThatTheTimerFoundLostGo() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    acknowledge(3 * EMSS, 5 * EMSS, false);
    assertThat(send()).isEqualTo(3);
    inFlight -= 2 * EMSS;
    assertThat(send()).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 9937 6.2, PRR-CRB: below the threshold no more leaves than was delivered")
  void shouldConservePackets() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    acknowledge(3 * EMSS, 2 * EMSS, false);
    assertThat(send()).isEqualTo(3);
    acknowledge(EMSS, 4 * EMSS, false);
    assertThat(send()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9937 6.2, PRR-CRB: at least what this acknowledgment delivers leaves")
  void shouldSendAtLeastWhatIsDelivered() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    acknowledge(2 * EMSS, 2 * EMSS, true);
    assertThat(send()).isEqualTo(3);
    acknowledge(EMSS, 4 * EMSS, false);
    assertThat(send()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9937 6.2, PRR-SSRB: with progress one segment more, as in slow start")
  void shouldGrowBackWithProgress() {
    reduction.begin(10 * EMSS, 20 * EMSS);
    acknowledge(3 * EMSS, 2 * EMSS, true);
    assertThat(send()).isEqualTo(4);
    acknowledge(EMSS, 5 * EMSS, true);
    assertThat(send()).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 9937 6.2: the threshold limits the octets in flight")
  void shouldNotExceedTheThreshold() {
    reduction.begin(5 * EMSS, 20 * EMSS);
    acknowledge(15 * EMSS, 4 * EMSS, true);
    assertThat(send()).isEqualTo(1);
  }
}
