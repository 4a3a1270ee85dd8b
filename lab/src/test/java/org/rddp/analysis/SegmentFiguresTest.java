package org.rddp.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SegmentFiguresTest {
  @Test
  @Tag("MPAB-2.2-02")
  void shouldSendNoMoreSegmentsThanPlainTcpWhenFpdusAreAsLargeAsEmss() {
    assertThat(SegmentFigures.segments(SegmentFigures.EMSS, Segmentation.ALIGNED))
        .isEqualTo(SegmentFigures.segments(SegmentFigures.EMSS, Segmentation.STOCK))
        .isEqualTo(SegmentFigures.FPDUS);
  }

  @Test
  @Tag("MPAB-2.2-04")
  void shouldNearlyDoubleTheSegmentsWhenFpdusAreJustAboveHalfOfEmss() {
    assertThat(SegmentFigures.segments(732, Segmentation.ALIGNED)).isEqualTo(1000);
    assertThat(SegmentFigures.segments(732, Segmentation.STOCK)).isEqualTo(502);
  }

  @Test
  @Tag("MPAB-2.2-05")
  void shouldNeverMoreThanDoubleTheSegments() {
    for (int fpdu = 732; fpdu <= SegmentFigures.EMSS; fpdu += 104) {
      double ratio =
          (double) SegmentFigures.segments(fpdu, Segmentation.ALIGNED)
              / SegmentFigures.segments(fpdu, Segmentation.STOCK);
      assertThat(ratio).as("FPDUs of %d octets", fpdu).isBetween(1.0, 2.0);
    }
  }

  @Test
  @Tag("MPAB-2.2-07")
  void shouldGrowAsAStockTcpDoesInSlowStart() {
    assertThat(SegmentFigures.growth(Segmentation.ALIGNED, 5))
        .isEqualTo(SegmentFigures.growth(Segmentation.STOCK, 5));
  }
}
