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
    Gathered gathered = new Gathered(new GoalsByMachine(SECTION.lines(document)));
    for (String benchmark : benchmarks) {
      gathered.add(benchmark, NamedBenchmark.section(benchmark).lines(document));
    }
    SECTION.replace(document, gathered.markdown());
  }

  /** What the sections say that have been read so far. */
  private static final class Gathered {
    private final ReportTable table =
        Goal.table(
                "All goals",
                "Medians of the rounds, with quartiles, each from the latest run of its benchmark.")
            .column("run", "run");
    private final List<String> goals = new ArrayList<>();
    private final List<String> unfinished = new ArrayList<>();
    private final GoalsByMachine byMachine;

    Gathered(GoalsByMachine byMachine) {
      this.byMachine = byMachine;
    }

    /** Reads a section as {@link BenchmarkReport#markdown} has written it. */
    void add(String benchmark, List<String> lines) {
      String description = "";
      String run = "";
      boolean inGoals = false;
      for (String line : lines) {
        if (run.isEmpty() && !line.isEmpty()) {
          description = line;
          String date = line.substring(0, Math.max(0, line.indexOf(';')));
          run =
              "`" + benchmark + "`, " + date + (line.contains("; shortened") ? ", shortened" : "");
        } else if (line.startsWith(BenchmarkReport.DISTURBED)) {
          run += ", disturbed";
        } else if (line.startsWith(BenchmarkReport.UNFINISHED)) {
          String why = line.substring(BenchmarkReport.UNFINISHED.length());
          unfinished.add("`" + benchmark + "` has not been finished:" + why);
        } else if (line.startsWith("### ")) {
          inGoals = line.equals(BenchmarkReport.GOALS);
        } else if (inGoals && line.startsWith("| ") && !line.startsWith("| goal |")) {
          addGoal(cells(line), description, run);
        }
      }
    }

    private void addGoal(List<String> cells, String description, String run) {
      String goal = qualified(cells.getFirst(), goals);
      goals.add(goal);
      byMachine.add(description, goal, cells.get(2), run.endsWith(", disturbed"));
      List<Object> row = new ArrayList<>(cells);
      row.add(run);
      table.add(row.toArray());
    }

    String markdown() {
      StringBuilder text = new StringBuilder();
      text.append(table.isEmpty() ? "Not measured yet.\n" : table.markdown()).append('\n');
      unfinished.forEach(each -> text.append("- ").append(each).append('\n'));
      text.append(unfinished.isEmpty() ? "" : "\n").append(byMachine.markdown(goals)).append('\n');
      return text.toString();
    }
  }

  /** A goal's words, with those of the goal before it where they refer to it ("the same, p99"). */
  private static String qualified(String words, List<String> before) {
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
