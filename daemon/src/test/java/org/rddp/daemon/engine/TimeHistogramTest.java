package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimeHistogramTest {
  @Test
  void shouldCountATimeInTheFirstBucketWhoseBoundItDoesNotExceed() {
    for (int bucket = 0; bucket < TimeHistogram.buckets() - 1; bucket++) {
      TimeHistogram times = new TimeHistogram();
      long bound = TimeHistogram.upperBound(bucket);

      times.record(bound);
      times.record(bound + 1);

      assertThat(times.count(bucket)).as("%d ns", bound).isEqualTo(1);
      assertThat(times.count(bucket + 1)).as("%d ns", bound + 1).isEqualTo(1);
      assertThat(times.sum()).isEqualTo(2 * bound + 1);
    }
  }

  @Test
  void shouldCountZeroInTheFirstBucketAndAnyLongTimeInTheLast() {
    TimeHistogram times = new TimeHistogram();

    times.record(0);
    times.record(Long.MAX_VALUE);

    assertThat(times.count(0)).isEqualTo(1);
    assertThat(times.count(TimeHistogram.buckets() - 1)).isEqualTo(1);
  }
}
