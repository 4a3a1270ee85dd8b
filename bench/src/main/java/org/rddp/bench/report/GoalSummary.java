package org.rddp.bench.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The goals of all benchmarks in one table, gathered from their sections of the document. */
public final class GoalSummary {
  private static final GeneratedSection SECTION = new GeneratedSection("bench");

  private final List<String> benchmarks;

  /** Summarizes these benchmarks, in this order. */
  public GoalSummary(List<String> benchmarks) {
    this.benchmarks = List.copyOf(benchmarks);
  }

  /**
   * Checks that the document has a place for it.
   *
   * @throws IOException when it has none
   */
  public void check(Path document) throws IOException {
    SECTION.check(document);
  }

  /**
   * Puts it into its section of the document.
   *
   * @throws IOException when the file cannot be read or written, or has no place for it
   */
  public void write(Path document) throws IOException {
    ReportTable table =
        Goal.table(
                "All goals",
                "Medians of the rounds, with quartiles, each from the latest run of its benchmark.")
            .column("run", "run");
    List<String> unfinished = new ArrayList<>();
    for (String benchmark : benchmarks) {
      add(table, unfinished, benchmark, NamedBenchmark.section(benchmark).lines(document));
    }
    StringBuilder text = new StringBuilder();
    text.append(table.isEmpty() ? "Not measured yet.\n" : table.markdown()).append('\n');
    unfinished.forEach(each -> text.append("- ").append(each).append('\n'));
    SECTION.replace(document, text + (unfinished.isEmpty() ? "" : "\n"));
  }

  /** Reads a section as {@link BenchmarkReport#markdown} has written it. */
  private static void add(
      ReportTable table, List<String> unfinished, String benchmark, List<String> lines) {
    String run = "";
    boolean inGoals = false;
    for (String line : lines) {
      if (run.isEmpty() && !line.isEmpty()) {
        String date = line.substring(0, Math.max(0, line.indexOf(';')));
        run = "`" + benchmark + "`, " + date + (line.contains("; shortened") ? ", shortened" : "");
      } else if (line.startsWith(BenchmarkReport.DISTURBED)) {
        run += ", disturbed";
      } else if (line.startsWith(BenchmarkReport.UNFINISHED)) {
        unfinished.add(
            "`"
                + benchmark
                + "` has not been finished:"
                + line.substring(BenchmarkReport.UNFINISHED.length()));
      } else if (line.startsWith("### ")) {
        inGoals = line.equals(BenchmarkReport.GOALS);
      } else if (inGoals && line.startsWith("| ") && !line.startsWith("| goal |")) {
        List<Object> row = new ArrayList<>(cells(line));
        row.add(run);
        table.add(row.toArray());
      }
    }
  }

  /** The cells of a row of a table. */
  static List<String> cells(String row) {
    String[] cells = row.split("\\|", -1);
    return Arrays.stream(cells, 1, cells.length - 1).map(String::strip).toList();
  }
}
