package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MarkersTest {
  @Test
  @Tag("MPA-4.3-12")
  @Tag("MPA-4.3-11")
  void shouldFollowTheRfcsExample() {
    int seqStart = 11;
    assertThat(Markers.at(11 - seqStart)).isTrue();
    assertThat(seqStart + Markers.distance(0)).isEqualTo(523);
    assertThat(523 + Markers.distance(523 - seqStart)).isEqualTo(1035);
  }

  @Test
  @Tag("MPA-4.1-08")
  void shouldCountTheMarkersOfAnFpduAtEveryPhase() {
    for (int phase = 0; phase < 512; phase += 4) {
      for (int octets = 8; octets < 2200; octets += 4) {
        assertThat(Markers.span(phase, octets)).isEqualTo(counted(phase, octets));
      }
    }
  }

  /** An octet at a time. */
  private static int counted(int phase, int octets) {
    int at = phase;
    for (int left = octets; left > 0; left--) {
      if (at % 512 == 0) {
        at += 4;
      }
      at++;
    }
    return at - phase;
  }

  @Test
  @Tag("MPA-4.3-19")
  void shouldNeedSixteenBitsOnlyForTheLargestUlpdu() {
    int largestPointer = 0;
    int largestSpan = 0;
    for (int phase = 0; phase < 512; phase += 4) {
      int span = Markers.span(phase, Fpdu.size(Mulpdu.MAX));
      int header = phase + Markers.leading(phase);
      int last = (phase + span - 1) / 512 * 512;
      largestSpan = Math.max(largestSpan, span);
      largestPointer = Math.max(largestPointer, last - header);
    }
    assertThat(largestPointer).isEqualTo(65280);
    assertThat(largestSpan).isEqualTo(65288);
  }
}
