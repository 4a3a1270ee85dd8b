package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MulpduTest {
  @ParameterizedTest
  @CsvSource({
    "536, 522, 530",
    "1440, 1422, 1434",
    "1448, 1430, 1442",
    "1452, 1434, 1446",
    "1460, 1442, 1454",
    "8948, 8870, 8942",
    "8960, 8882, 8954"
  })
  @Tag("MPA-4.5-01")
  @Tag("MPA-4.5-02")
  void shouldFollowTheFormulas(int emss, int withMarkers, int withoutMarkers) {
    assertThat(Mulpdu.of(emss, true)).isEqualTo(withMarkers);
    assertThat(Mulpdu.of(emss, false)).isEqualTo(withoutMarkers);
  }

  @Test
  @Tag("MPA-3-04")
  @Tag("MPA-4.5-07")
  @Tag("D03-7.3.2-01")
  void shouldLieInTheRangeForEveryEmss() {
    for (int emss = 1; emss <= 65535; emss++) {
      int plain = emss - (6 + emss % 4);
      int marked = emss - (6 + 4 * ((emss + 511) / 512) + emss % 4);
      assertThat(Mulpdu.of(emss, false)).isEqualTo(Math.min(Math.max(plain, 128), 64768));
      assertThat(Mulpdu.of(emss, true)).isEqualTo(Math.min(Math.max(marked, 128), 64768));
    }
    assertThat(Mulpdu.of(135, false)).isEqualTo(128);
    assertThat(Mulpdu.of(139, true)).isEqualTo(128);
    assertThat(Mulpdu.of(64776, false)).isEqualTo(64768);
    assertThat(Mulpdu.of(65288, true)).isEqualTo(64768);
  }

  @Test
  @Tag("MPA-4.5-11")
  void shouldGiveAnFpduThatFitsTheSegmentAtEveryMarkerPhase() {
    for (int emss = 140; emss <= 9000; emss++) {
      int octets = Fpdu.size(Mulpdu.of(emss, true));
      int largest = 0;
      for (int phase = 0; phase < 512; phase += 4) {
        largest = Math.max(largest, Markers.span(phase, octets));
      }
      assertThat(largest).isBetween(emss - 11, emss);
      assertThat(Fpdu.pad(Mulpdu.of(emss, true))).isZero();
      assertThat(Fpdu.size(Mulpdu.of(emss, false))).isEqualTo(emss - emss % 4);
    }
  }

  @Test
  @Tag("MPA-3-08")
  void shouldTakeItsLargestFromTheLargestDatagram() {
    int segment = 65535 - 60 - 60;
    int worst = segment - (6 + 4 * ((segment + 511) / 512) + segment % 4);
    assertThat(worst / 128 * 128).isEqualTo(Mulpdu.MAX);
  }

  @Test
  @Tag("MPA-4.5-04")
  @DisplayName("RFC 5044 4.5: what fits into part of a segment, counted octet by octet")
  void shouldSayWhatFitsIntoPartOfASegment() {
    for (int octets = 0; octets <= 1500; octets += octets < 40 ? 1 : 13) {
      assertThat(Mulpdu.within(octets, 0, false)).isEqualTo(largest(octets, -1));
      for (int phase = 0; phase < 512; phase += 4) {
        if (phase != 4) {
          assertThat(Mulpdu.within(octets, 5120 + phase, true))
              .as("%d octets at phase %d", octets, phase)
              .isEqualTo(largest(octets, phase));
        }
      }
    }
  }

  /**
   * Counts word by word how much fits: length, ULPDU, pad, CRC, and a Marker at every multiple of
   * 512.
   */
  private static int largest(int octets, int phase) {
    int taken = 0;
    int words = 0;
    while (true) {
      boolean marker = phase >= 0 && (phase + taken) % 512 == 0;
      int next = taken + (marker ? 8 : 4);
      if (next > octets) {
        return 4 * words - 6;
      }
      taken = next;
      words++;
    }
  }
}
