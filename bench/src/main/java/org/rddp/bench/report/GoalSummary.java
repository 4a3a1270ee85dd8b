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
    List<String> goals = new ArrayList<>();
    GoalsByMachine byMachine = new GoalsByMachine(SECTION.lines(document));
    for (String benchmark : benchmarks) {
      add(
          table,
          unfinished,
          goals,
          byMachine,
          benchmark,
          NamedBenchmark.section(benchmark).lines(document));
    }
    StringBuilder text = new StringBuilder();
    text.append(table.isEmpty() ? "Not measured yet.\n" : table.markdown()).append('\n');
    unfinished.forEach(each -> text.append("- ").append(each).append('\n'));
    text.append(unfinished.isEmpty() ? "" : "\n").append(byMachine.markdown(goals)).append('\n');
    SECTION.replace(document, text.toString());
  }

  /** Reads a section as {@link BenchmarkReport#markdown} has written it. */
  private static void add(
      ReportTable table,
      List<String> unfinished,
      List<String> goals,
      GoalsByMachine byMachine,
      String benchmark,
      List<String> lines) {
    String description = "";
    String run = "";
    boolean inGoals = false;
    for (String line : lines) {
      if (run.isEmpty() && !line.isEmpty()) {
        description = line;
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
        String goal = qualified(row, goals);
        goals.add(goal);
        byMachine.add(description, goal, (String) row.get(2), run.endsWith(", disturbed"));
        row.add(run);
        table.add(row.toArray());
      }
    }
  }

  /** A goal's words, with those of the goal before it where they refer to it ("the same, p99"). */
  private static String qualified(List<Object> row, List<String> before) {
    String words = (String) row.getFirst();
    if (!words.startsWith("the same") || before.isEmpty()) {
      return words;
    }
    String whole = before.getLast();
    int from = whole.indexOf(" / the same");
    return (from < 0 ? whole : whole.substring(0, from)) + " / " + words;
  }

  /** The cells of a row of a table. */
  static List<String> cells(String row) {
    String[] cells = row.split("\\|", -1);
    return Arrays.stream(cells, 1, cells.length - 1).map(String::strip).toList();
  }
}
