package org.rddp.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeriesTest {
  @Test
  void shouldTakeTheMiddleOfTheRounds() {
    Series series = Series.of(9, 1, 5, 3);
    assertThat(series.median()).isEqualTo(4);
    assertThat(series.quantile(0.25)).isEqualTo(2.5);
    assertThat(series.least()).isEqualTo(1);
    assertThat(series.greatest()).isEqualTo(9);
  }

  @Test
  void shouldCompareRoundByRound() {
    // A round in which the machine was slow is slow for both.
    Series slow = Series.of(10, 100, 12);
    Series quick = Series.of(5, 50, 4);
    assertThat(slow.over(quick).values()).containsExactly(2, 2, 3);
    assertThat(slow.plus(quick).values()).containsExactly(15, 150, 16);
  }

  @Test
  void shouldShowTheDigitsThatCount() {
    assertThat(Series.of(1234.4)).hasToString("1,234");
    assertThat(Series.of(0.123456)).hasToString("0.12");
    assertThat(Series.of(1, 2, 3)).hasToString("2.00 (1.50-2.50)");
  }
}
