package org.rddp.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.analysis.LossFigures.Outcome;

class LossFiguresTest {
  private static final int FPDUS = 4000;

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.01, 0.05})
  @Tag("MPAB-1-04")
  @Tag("MPAB-2.1-09")
  @Tag("MPA-3-10")
  void shouldKeepNothingWithMarkers(double loss) {
    Outcome outcome = LossFigures.outcome(loss, true, FPDUS);
    assertThat(outcome.beforeTurn()).isPositive();
    assertThat(outcome.early()).isEqualTo(outcome.beforeTurn());
    assertThat(outcome.kept()).isZero();
    assertThat(outcome.counted()).isZero();
    assertThat(outcome.most()).isZero();
    assertThat(outcome.packets()).isZero();
    assertThat(outcome.reassembled()).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.01, 0.05})
  void shouldKeepAllThatCameBeforeItsTurnWithoutMarkers(double loss) {
    Outcome outcome = LossFigures.outcome(loss, false, FPDUS);
    assertThat(outcome.early()).isZero();
    assertThat(outcome.kept()).isEqualTo(outcome.beforeTurn() * 1460);
    assertThat(outcome.counted()).isEqualTo(outcome.kept());
    assertThat(outcome.most()).isGreaterThan(1460);
  }
}
