package org.rddp.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.analysis.PackingFigures.Outcome;

class PackingFiguresTest {
  @Test
  @Tag("ANA-6-03")
  void shouldFrameOneOctetOfTaggedPayloadIn24() {
    Outcome outcome = PackingFigures.outcome(1460, false, false, 100);
    assertThat(outcome.fpdu()).isEqualTo(24);
    assertThat(outcome.segments()).isEqualTo(100);
  }

  @ParameterizedTest
  @CsvSource({
    "1460, false, 60, ANA-6-04",
    "1460, true, 60, ANA-6-04",
    "536, false, 22, ANA-6-05",
    "536, true, 22, ANA-6-05"
  })
  @Tag("ANA-6-01")
  @Tag("ANA-6-02")
  @Tag("MPAB-2.2-03")
  void shouldPackAsManyAsFit(int emss, boolean markers, int fit, String clause) {
    int full = 50;
    int ulpdus = full * fit;
    Outcome packed = PackingFigures.outcome(emss, markers, true, ulpdus);
    Outcome single = PackingFigures.outcome(emss, markers, false, ulpdus);
    assertThat(packed.mostInOne()).isEqualTo(fit);
    assertThat(packed.segments()).isEqualTo(full);
    assertThat(packed.whole()).isEqualTo(packed.segments());
    assertThat(single.mostInOne()).isEqualTo(1);
    assertThat(single.segments()).isEqualTo(ulpdus);
  }

  @Test
  @Tag("ANA-6-06")
  void shouldSpareSegmentsAndAcknowledgments() {
    Outcome packed = PackingFigures.outcome(1460, false, true, 120);
    Outcome single = PackingFigures.outcome(1460, false, false, 120);
    assertThat(packed.segments()).isEqualTo(2);
    assertThat(packed.acknowledgments()).isEqualTo(1);
    assertThat(single.segments()).isEqualTo(120);
    assertThat(single.acknowledgments()).isEqualTo(60);
  }

  @Test
  @Tag("ANA-6-07")
  void shouldMoveSixtyTimesThePayloadInAsManySegments() {
    int segments = 10;
    Outcome packed = PackingFigures.outcome(1460, false, true, segments * 60);
    Outcome single = PackingFigures.outcome(1460, false, false, segments);
    assertThat(packed.segments()).isEqualTo(single.segments()).isEqualTo(segments);
  }
}
