package org.rddp.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.analysis.BufferFigures.Kept;

class BufferFiguresTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 100, 400})
  @Tag("MPAB-2-02")
  @Tag("ANA-7-01")
  void shouldKeepAPacketForEachConnectionWhoseSenderDoesNotAlign(int connections) {
    Kept kept = BufferFigures.kept(connections, Segmentation.STOCK);
    assertThat(kept.packets()).isEqualTo(connections);
    assertThat(kept.octets()).isEqualTo(connections * 728L);
  }

  @Test
  @Tag("MPAB-2-03")
  void shouldNeedTheFifteenMegabytesOfTheExample() {
    int connections = 200;
    double packetsEach =
        (double) BufferFigures.kept(connections, Segmentation.STOCK).packets() / connections;
    assertThat(packetsEach * 10_000 * 1500).isEqualTo(15e6);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 400})
  @Tag("MPAB-2-04")
  @Tag("ANA-7-01")
  void shouldKeepNothingWhereSendersAlign(int connections) {
    Kept kept = BufferFigures.kept(connections, Segmentation.ALIGNED);
    assertThat(kept.packets()).isZero();
    assertThat(kept.octets()).isZero();
    assertThat(kept.all()).as("K2").isEqualTo(BufferFigures.kept(50, Segmentation.ALIGNED).all());
  }

  @Test
  @Tag("MPAB-2-01")
  @Tag("ANA-7-01")
  void shouldKeepBandwidthTimesDelayBehindALostSegment() {
    for (long bandwidth : new long[] {100_000_000, 1_000_000_000}) {
      long product = DelayFigures.product(bandwidth);
      assertThat(DelayFigures.kept(bandwidth, false)).isBetween(product - 3000, product + 3000);
      assertThat(DelayFigures.kept(bandwidth, true)).isZero();
    }
  }
}
