package org.rddp.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Conditions;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.harness.Series;

class BenchmarkReportTest {
  private static final String MARKED =
      """
      # Document
      <!-- made by bin/rddp bench some; not to be edited -->
      old
      <!-- end of what bin/rddp bench some makes -->
      after
      """;

  private final BenchmarkReport report = new BenchmarkReport("some", true);
  @TempDir private Path folder;

  @Test
  void shouldSayWhichGoalsAreMet() {
    report.add(Goal.atMost(0.25, "p50", "beside TCP", Optional.of(Series.of(0.1, 0.2, 0.9))));
    report.add(Goal.atLeast(4, "goodput", "of TCP", Optional.of(Series.of(3.5))).remark("why"));
    report.add(Goal.atLeast(4, "other", "not run", Optional.empty()));
    assertThat(report.markdown())
        .contains("| beside TCP | <= 0.25 | 0.20 (0.15-0.55) | met |  |")
        .contains("| of TCP | >= 4.00 | 3.50 | **missed** | why |")
        .contains("| not run | >= 4.00 | - | not measured |  |");
    List<Boolean> met =
        report.json().getAsJsonArray("goals").asList().stream()
            .map(each -> each.getAsJsonObject().has("met"))
            .toList();
    assertThat(met).containsExactly(true, true, false);
  }

  @Test
  void shouldSayWhatIsToBeSaidAgainstAGoalsFigure() {
    Conditions unsteady = new Conditions(70, 70, 0, 0, 0, 1, 1, List.of("rddp", "other"));
    Conditions disturbed = new Conditions(70, 70, 0, 0, 0.5, 1, 1, List.of());
    Sample sample = Sample.of(Map.of("p50", 1.0));
    Map<String, ContenderResult> once = Map.of("rddp", new ContenderResult(List.of(sample), null));
    Map<String, ContenderResult> often =
        Map.of("rddp", new ContenderResult(Collections.nCopies(3, sample), null));
    Goal goal = Goal.atMost(2, "p50", "it", Optional.of(Series.of(1)));
    assertThat(goal.measuredIn(new ComparisonResult("", once, unsteady), "rddp").verdict())
        .isEqualTo("met (not steady: rddp; 1 round)");
    assertThat(goal.measuredIn(new ComparisonResult("", often, disturbed), "rddp").verdict())
        .isEqualTo("met (disturbed)");
    assertThat(goal.measuredIn(new ComparisonResult("", often, unsteady), "peer").verdict())
        .isEqualTo("met");
    assertThat(goal.measuredUnder(disturbed).toJson().getAsJsonArray("doubts")).hasSize(1);
    Conditions near = new Conditions(70, 70, 0, 0, 0, 1, 1, List.of());
    Conditions far = new Conditions(400, 410, 0, 0, 0, 1, 1, List.of());
    Conditions moved = new Conditions(70, 410, 0, 0, 0, 1, 1, List.of());
    assertThat(goal.measuredUnder(moved).verdict()).isEqualTo("met (the cores moved)");
    assertThat(goal.measuredUnder(far).measuredUnder(far, far).verdict()).isEqualTo("met");
    assertThat(goal.measuredUnder(near, far).verdict()).isEqualTo("met (the cores moved)");
  }

  @Test
  void shouldGiveMediansAndTheirSpread() {
    report
        .add(new ReportTable("times", "Times", "Text."))
        .column("who", "who")
        .column("p50", "p50")
        .add("it", Series.of(1, 2, 3));
    JsonObject row =
        report.json().getAsJsonArray("times").get(0).getAsJsonObject().getAsJsonObject("p50");
    assertThat(row.get("median").getAsDouble()).isEqualTo(2);
    assertThat(row.get("min").getAsDouble()).isEqualTo(1);
    assertThat(report.markdown()).contains("| it | 2.00 (1.50-2.50) |");
  }

  @Test
  void shouldSayThatOthersHaveDisturbed() {
    report.conditions("a part", new Conditions(70, 70, 0, 0, 0, 1, 1, List.of()));
    assertThat(report.markdown()).contains("core to core 70 ns").doesNotContain("DISTURBED");
    report.conditions("another", new Conditions(70, 70, 0, 0, 0.5, 1, 1, List.of()));
    assertThat(report.markdown()).contains("Others used the CPUs", "another: core to core");
    assertThat(report.json().get("disturbed").getAsBoolean()).isTrue();
  }

  @Test
  void shouldSayBelowATableHowTheMachineWasMeanwhile() {
    ReportTable table = report.add(new ReportTable("times", "Times", "Text.")).column("who", "who");
    table.add("it");
    report.conditions(table, "one", new Conditions(70, 80, 0.5, 0, 0.01, 1, 1, List.of()));
    report.conditions(table, "two", new Conditions(60, 75, 0.9, 0, 0.3, 1, 1, List.of()));
    assertThat(report.markdown())
        .contains("Meanwhile: core to core 60 to 80 ns; CPU pressure 50 to 90 %, steal 0.0 %")
        .contains(
            "other processes 1.0 to 30.0 %, throughput of a core 100 %. **DISTURBED** by others: two.")
        .doesNotContain("### Meanwhile");
    assertThat(report.json().getAsJsonObject("conditions").keySet()).containsExactly("one", "two");
  }

  @Test
  void shouldShowQuantitiesWithTheirPrefix() {
    assertThat(new Quantity(Series.of(4240), "/s")).hasToString("4.24 k/s");
    assertThat(new Quantity(Series.of(1.9e9, 2e9, 2.1e9), "b/s"))
        .hasToString("2.00 (1.95-2.05) Gb/s");
    assertThat(new Quantity(Series.of(250e-9), "s")).hasToString("250 ns");
    assertThat(new Quantity(Series.of(0), "s")).hasToString("0 s");
    report.add(Goal.atLeast(2e6, "rate", "writes", Optional.of(Series.of(4240))).withUnit("/s"));
    assertThat(report.markdown()).contains("| writes | >= 2.00 M/s | 4.24 k/s | **missed** |");
  }

  @Test
  void shouldShowWhatWasFoundBeforeAFailure() throws IOException {
    report.add(new ReportTable("some", "Some", "Text.")).column("who", "who").add("it");
    report.add(new ReportTable("more", "More", "Text.")).column("who", "who");
    report.failed("no device");
    assertThat(report.markdown())
        .contains("**Not all of it could be measured:** no device", "### Some")
        .doesNotContain("### More");
  }

  @Test
  void shouldGatherTheGoalsOfAllBenchmarks() throws IOException {
    String place =
        """
        <!-- made by bin/rddp bench; not to be edited -->
        <!-- end of what bin/rddp bench makes -->
        """;
    Path document = Files.writeString(folder.resolve("some.md"), place + MARKED);
    GoalSummary summary = new GoalSummary(List.of("other", "some"));
    summary.write(document);
    assertThat(document).content().contains("Not measured yet.");
    report.add(Goal.atMost(2, "p50", "beside TCP", Optional.of(Series.of(1))).remark("near"));
    report.failed("no device");
    report.write(document, new GeneratedSection("bench some"));
    summary.write(document);
    assertThat(document)
        .content()
        .contains("| beside TCP | <= 2.00 | 1.00 | met | near | `some`, 20")
        .contains(", shortened |", "- `some` has not been finished: no device");
  }

  /** Each machine's runs replace their own figures. */
  @Test
  void shouldKeepWhatGoalsWereOnOtherMachines() throws IOException {
    Path document =
        Files.writeString(
            folder.resolve("all.md"),
            """
            <!-- made by bin/rddp bench; not to be edited -->
            ### All goals
            ### By machine
            | goal | 2 cores, A | 4 cores, B |
            |---|---|---|
            | beside TCP | 7.00 | 3.00 * |
            | beside TCP / the same, p99 | - | 4.00 |
            | gone | 1 | 2 |
            <!-- end of what bin/rddp bench makes -->
            <!-- made by bin/rddp bench some; not to be edited -->
            2026-11-29; 2 cores, A; Linux; shortened.
            ### Goals
            | goal | wanted | found |  |  |
            |---|---|---|---|---|
            | beside TCP | <= 2.00 | 1.00 (1.00-1.10) | met |  |
            | the same, p99 | <= 2.00 | 5.00 | missed |  |
            <!-- end of what bin/rddp bench some makes -->
            """);
    new GoalSummary(List.of("some")).write(document);
    assertThat(document)
        .content()
        .contains(
            "| beside TCP | 1.00 (1.00-1.10) | 3.00 * |",
            "| beside TCP / the same, p99 | 5.00 | 4.00 |")
        .doesNotContain("gone");
  }

  @Test
  void shouldPutItselfIntoItsSection() throws IOException {
    Path document = Files.writeString(folder.resolve("some.md"), MARKED);
    Path stale = Files.createDirectories(folder.resolve("benchmarks")).resolve("some-old.png");
    Files.writeString(stale, "");
    Path foreign = Files.writeString(stale.resolveSibling("something.json"), "");
    report.method("How.");
    Histogram times = new Histogram(1_000_000, 3);
    for (int i = 1; i <= 1000; i++) {
      times.recordValue(i * 100L);
    }
    report.raw("to and fro", times);
    report.add(Plot.ofPercentiles("curves", "Curves")).percentiles("it", times);
    Plot lines = report.add(new Plot("lines", "Lines", "octets", "us").logarithmic());
    lines.point("it", 8, Optional.of(Series.of(1)));
    lines.point("it", 64, Optional.of(Series.of(2)));

    report.write(document, new GeneratedSection("bench some"));

    assertThat(Files.readString(document))
        .startsWith("# Document\n<!-- made by")
        .endsWith("makes -->\nafter\n")
        .contains("How.", "(benchmarks/some-curves.png)")
        .doesNotContain("old");
    assertThat(stale).doesNotExist();
    assertThat(foreign).exists();
    assertThat(folder.resolve("benchmarks/some-curves.png")).isNotEmptyFile();
    assertThat(folder.resolve("benchmarks/some-lines.png")).isNotEmptyFile();
    assertThat(folder.resolve("benchmarks/some-to-and-fro.hgrm")).content().contains("1.000000");
    assertThat(folder.resolve("benchmarks/some.json")).content().contains("\"quick\": true");
  }

  @Test
  void shouldNotWriteWhereItHasNoPlace() throws IOException {
    Path document = Files.writeString(folder.resolve("some.md"), "# Document");
    assertThatThrownBy(() -> report.write(document, new GeneratedSection("bench some")))
        .hasMessageContaining("lacks the lines");
    assertThat(document).hasContent("# Document");
  }
}
