package org.rddp.bench.report;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The goals of all benchmarks in one table, from the JSON that each has left. */
public final class GoalSummary {
  private static final GeneratedSection SECTION = new GeneratedSection("bench");

  private final List<String> benchmarks;

  /** Of these benchmarks, in this order. */
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
   * @throws IOException when a file cannot be read or written, or the document has no place for it
   */
  public void write(Path document) throws IOException {
    Path folder = document.toAbsolutePath().resolveSibling("benchmarks");
    ReportTable table =
        new ReportTable(
                "goals",
                "All goals",
                "Medians of the rounds, with quartiles, each from the latest run of its benchmark.")
            .column("goal", "goal")
            .column("wanted", "wanted")
            .column("found", "found")
            .column("verdict", "")
            .column("remark", "")
            .column("run", "run");
    List<String> troubles = new ArrayList<>();
    for (String benchmark : benchmarks) {
      Path file = folder.resolve(benchmark + ".json");
      if (Files.isReadable(file)) {
        add(table, troubles, JsonParser.parseString(Files.readString(file)).getAsJsonObject());
      }
    }
    StringBuilder text = new StringBuilder();
    text.append(table.isEmpty() ? "Not measured yet.\n" : table.markdown()).append('\n');
    troubles.forEach(each -> text.append("- ").append(each).append('\n'));
    SECTION.replace(document, text + (troubles.isEmpty() ? "" : "\n"));
  }

  private static void add(ReportTable table, List<String> troubles, JsonObject found) {
    String benchmark = found.get("benchmark").getAsString();
    if (found.has("failed")) {
      troubles.add(
          "`" + benchmark + "` has not been finished: " + found.get("failed").getAsString());
    }
    for (JsonElement each : found.getAsJsonArray("goals")) {
      JsonObject goal = each.getAsJsonObject();
      table.add(
          goal.get("what").getAsString(),
          goal.get("wanted").getAsString(),
          goal.get("found").getAsString(),
          goal.get("verdict").getAsString(),
          goal.get("remark").getAsString(),
          run(benchmark, found));
    }
  }

  /** Which benchmark, when, and how. */
  private static String run(String benchmark, JsonObject found) {
    return "`"
        + benchmark
        + "`, "
        + found.getAsJsonObject("machine").get("date").getAsString()
        + (found.get("quick").getAsBoolean() ? ", shortened" : "")
        + (found.get("disturbed").getAsBoolean() ? ", disturbed" : "");
  }
}
