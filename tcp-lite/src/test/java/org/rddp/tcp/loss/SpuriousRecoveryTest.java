package org.rddp.tcp.loss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Detection of spurious recoveries by echoes and D-SACKs. */
class SpuriousRecoveryTest {
  private final SpuriousRecovery spurious = new SpuriousRecovery();

  SpuriousRecoveryTest() {
    spurious.begin();
    spurious.started(1000, 10_000);
    spurious.retransmitted(1000, 2000, 50);
  }

  @Test
  @DisplayName(
      "RFC 3522 3.2: the echo of a time before the retransmission shows that it was spurious")
  void shouldSeeAnOlderEcho() {
    assertThat(spurious.advanced(true, 49)).isTrue();
  }

  @Test
  @DisplayName("RFC 3522 3.2: the echo of the retransmission shows that it was needed")
  void shouldSeeTheEchoOfTheRetransmission() {
    assertThat(spurious.advanced(true, 50)).isFalse();
    assertThat(spurious.advanced(true, 49)).isFalse();
  }

  @Test
  @DisplayName("RFC 3522 3.2: an older retransmission under way makes the echo ambiguous")
  void shouldNotTakeTheEchoOfAnOlderRetransmissionForOneOfTheOriginal() {
    spurious.forget();
    spurious.started(1000, 20_000);
    spurious.retransmitted(1000, 13_000, 60);
    assertThat(spurious.advanced(true, 50)).isFalse();
  }

  @Test
  @DisplayName("RFC 3522 3.2: once an older retransmission has arrived, echoes count again")
  void shouldReportAgainOnceAllRetransmissionsHaveArrived() {
    spurious.forget();
    spurious.started(2000, 20_000);
    spurious.retransmitted(1000, 13_000, 60);
    assertThat(spurious.advanced(true, 59)).isTrue();
  }

  @Test
  @DisplayName("RFC 3708 3: a recovery was spurious if all its retransmissions were duplicates")
  void shouldCountWhatCameTwice() {
    spurious.retransmitted(1000, 3000, 51);
    assertThat(spurious.duplicate(1000, 2000)).isFalse();
    assertThat(spurious.duplicate(2000, 3000)).isTrue();
  }

  @Test
  @DisplayName("RFC 3708 3: duplicates of an earlier recovery do not prove a later one spurious")
  void shouldNotCountWhatAnEarlierRecoverySent() {
    spurious.forget();
    spurious.started(1000, 20_000);
    spurious.retransmitted(1000, 13_000, 60);
    assertThat(spurious.duplicate(1000, 2000)).isFalse();
  }
}
