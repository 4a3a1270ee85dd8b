package org.rddp.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BudgetTest {
  private long now = 5;
  private final Budget budget = new Budget(Duration.ofNanos(100), () -> now);

  @Test
  void shouldShareWhatIsLeftAmongTheSteps() {
    budget.expect(4);
    assertThat(budget.take(1)).isEqualTo(25);
    // It took less.
    now += 10;
    assertThat(budget.take(2)).isEqualTo(60);
    now += 60;
    assertThat(budget.take(1)).isEqualTo(30);
  }

  @Test
  void shouldGiveAllWhereNobodyKnowsWhatIsToCome() {
    assertThat(budget.take(1)).isEqualTo(100);
    now += 40;
    assertThat(budget.take(1)).isEqualTo(60);
  }

  @Test
  void shouldGiveAPartOfWhatIsLeft() {
    now += 20;
    Budget part = budget.part(0.5);
    now += 10;
    assertThat(part.leftNanos()).isEqualTo(30);
    assertThat(budget.leftNanos()).isEqualTo(70);
  }

  @Test
  void shouldGiveNothingWhenItIsUsedUp() {
    budget.expect(2);
    now += 200;
    assertThat(budget.take(1)).isZero();
    assertThat(budget.leftNanos()).isZero();
    assertThat(budget.spentNanos()).isEqualTo(200);
  }
}
