package org.rddp.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  /** With a stopped clock: warm-ups are short, and every round is done. */
  private final Budget second = new Budget(Duration.ofSeconds(1), () -> 0);

  private final Progress progress =
      new Progress(new PrintStream(said, true, StandardCharsets.UTF_8), second);

  @Test
  void shouldLetEachEntrantWorkOnceInEveryRound() throws Exception {
    List<Contender> entrants =
        List.of(Contender.of("one", CountingRig.class), Contender.of("two", CountingRig.class));
    try (Comparison contest = new Comparison(entrants, progress)) {
      contest.warmUp(new JsonObject());
      ComparisonResult found = contest.run("counting", new JsonObject(), 3);
      // Earlier rounds were discarded.
      double[] rounds = found.figure("one", "round").orElseThrow().values();
      assertThat(rounds).hasSize(3);
      assertThat(rounds[0]).isGreaterThan(2);
      assertThat(rounds[2]).isEqualTo(rounds[0] + 2);
      double[] one = found.figure("one", "when").orElseThrow().values();
      double[] two = found.figure("two", "when").orElseThrow().values();
      for (int round = 0; round < 3; round++) {
        assertThat(two[round] > one[round])
            .describedAs("one is first in round %d", round)
            .isEqualTo(round % 2 == 0);
        if (round > 0) {
          assertThat(Math.min(one[round], two[round]))
              .isGreaterThan(Math.max(one[round - 1], two[round - 1]));
        }
      }
      assertThat(found.of("one").nanoseconds().orElseThrow().getTotalCount()).isEqualTo(3);
      assertThat(found.conditions().coreToCore()).isPositive();
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("starting: two", "warming up: one", "counting");
  }

  @Test
  void shouldDoFewerRoundsWhereTheBudgetIsUsedUp() throws Exception {
    Progress hurried =
        new Progress(new PrintStream(said, true, StandardCharsets.UTF_8), Budget.of(Duration.ZERO));
    try (Comparison contest =
        new Comparison(List.of(Contender.of("it", CountingRig.class)), hurried)) {
      assertThat(contest.run("counting", new JsonObject(), 1000).of("it").samples()).hasSize(1);
    }
  }

  @Test
  void shouldKeepInTheTablesWhatCannotRunOrFails() throws Exception {
    List<Contender> entrants =
        List.of(
            Contender.of("without rights", CountingRig.class).with("cannot", "needs root"),
            Contender.of("broken", CountingRig.class).with("fail_at", 2),
            Contender.of("good", CountingRig.class));
    try (Comparison contest = new Comparison(entrants, progress)) {
      ComparisonResult found = contest.run("counting", new JsonObject(), 3);
      assertThat(found.all().keySet()).containsExactly("without rights", "broken", "good");
      assertThat(found.of("without rights").reason()).isEqualTo("needs root");
      assertThat(found.of("without rights").cell("p50", 1)).isEqualTo("needs root");
      assertThat(found.of("broken").reason()).isEqualTo("failed: broken on purpose");
      assertThat(found.figure("broken", "p50")).isEmpty();
      assertThat(found.ratio("good", "broken", "p50")).isEmpty();
      assertThat(found.figure("good", "p50").orElseThrow().values()).hasSize(3);
    }
  }

  @Test
  void shouldAskAgainWhatCannotDoOneTask() throws Exception {
    try (Comparison contest =
        new Comparison(List.of(Contender.of("it", CountingRig.class)), progress)) {
      ComparisonResult found = contest.run("that", Json.of("cannot", ""), 2);
      assertThat(found.of("it").reason()).isEqualTo("not this one");
      assertThat(contest.run("other", new JsonObject(), 2).figure("it", "p50")).isPresent();
    }
  }
}
