package org.rddp.bench.report;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Conditions;

/**
 * The results of a benchmark. Filled while it measures, then printed as text or JSON, or written
 * into a document with its plots and raw figures beside.
 */
public final class BenchmarkReport {
  /** How the warning begins that other processes have disturbed a part of the run. */
  static final String DISTURBED = "**Others used the CPUs meanwhile:**";

  /** How the line begins that says why the run has ended early. */
  static final String UNFINISHED = "**Not all of it could be measured:**";

  /** The heading of the goals. */
  static final String GOALS = "### Goals";

  /** Steps of a .hgrm file for each halving of the distance to 100 %. */
  private static final int TICKS = 2;

  private final String benchmark;
  private final boolean quick;
  private final MachineDescription machine = new MachineDescription();
  private final List<String> method = new ArrayList<>();
  private final List<ReportTable> tables = new ArrayList<>();
  private final List<Goal> goals = new ArrayList<>();
  private final List<Plot> plots = new ArrayList<>();
  private final Map<String, Conditions> conditions = new LinkedHashMap<>();
  private final Map<String, Conditions> listed = new LinkedHashMap<>();
  private final Map<String, Histogram> raw = new LinkedHashMap<>();
  private String failure;

  /** An empty report. */
  public BenchmarkReport(String benchmark, boolean quick) {
    this.benchmark = benchmark;
    this.quick = quick;
  }

  /** Adds a paragraph on how it was measured. */
  public void method(String paragraph) {
    method.add(paragraph);
  }

  /** Adds a table; its rows may follow. */
  public ReportTable add(ReportTable table) {
    tables.add(table);
    return table;
  }

  /** Adds a goal. */
  public void add(Goal goal) {
    goals.add(goal);
  }

  /** Adds a plot; its lines may follow. */
  public Plot add(Plot plot) {
    plots.add(plot);
    return plot;
  }

  /** Adds the conditions under which something was measured. */
  public void conditions(String what, Conditions meanwhile) {
    conditions.put(what, meanwhile);
    listed.put(what, meanwhile);
  }

  /** Adds the conditions of a part of a table, below which they are summarized. */
  public void conditions(ReportTable table, String what, Conditions meanwhile) {
    conditions.put(what, meanwhile);
    table.measuredUnder(what, meanwhile);
  }

  /** Adds why the run has ended early; the results so far are shown. */
  public void failed(String reason) {
    failure = reason;
  }

  /** Adds times, in ns, to be written as a .hgrm file of HdrHistogram. */
  public void raw(String name, Histogram nanoseconds) {
    raw.put(name.replaceAll("[^A-Za-z0-9]+", "-"), nanoseconds);
  }

  /** Whether others have disturbed a part of the run. */
  public boolean disturbed() {
    return conditions.values().stream().anyMatch(Conditions::disturbed);
  }

  /** The report as Markdown. */
  public String markdown() {
    StringBuilder all = new StringBuilder();
    all.append(machine).append(quick ? "; shortened (`--quick`).\n\n" : ".\n\n");
    if (failure != null) {
      all.append(UNFINISHED + " ").append(failure).append("\n\n");
    }
    if (disturbed()) {
      all.append(DISTURBED + " what is marked DISTURBED below is to be read with" + " care.\n\n");
    }
    method.forEach(paragraph -> all.append(paragraph).append("\n\n"));
    if (!goals.isEmpty()) {
      all.append(goalTable().markdown()).append('\n');
    }
    for (ReportTable table : tables) {
      if (!table.isEmpty()) {
        all.append(table.markdown()).append('\n');
      }
    }
    if (!listed.isEmpty()) {
      all.append("### Meanwhile\n\n");
      listed.forEach((what, meanwhile) ->
          all.append("- ").append(what).append(": ").append(meanwhile).append('\n'));
      all.append('\n');
    }
    return all.toString();
  }

  private ReportTable goalTable() {
    ReportTable table = Goal.table("Goals", "Medians of the rounds, with quartiles.");
    for (Goal goal : goals) {
      table.add(goal.what(), goal.wanted(), goal.found(), goal.verdict(), goal.remark());
    }
    return table;
  }

  /**
   * The report as JSON: benchmark, quick, machine, method, failed (why it has ended early),
   * disturbed, conditions, goals, tables by name.
   */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("benchmark", benchmark);
    json.addProperty("quick", quick);
    json.add("machine", machine.toJson());
    json.addProperty("method", String.join("\n", method));
    if (failure != null) {
      json.addProperty("failed", failure);
    }
    json.addProperty("disturbed", disturbed());
    JsonObject meanwhile = new JsonObject();
    conditions.forEach((what, each) -> meanwhile.add(what, each.toJson()));
    json.add("conditions", meanwhile);
    JsonArray reached = new JsonArray();
    goals.forEach(goal -> reached.add(goal.toJson()));
    json.add("goals", reached);
    tables.forEach(table -> json.add(table.name(), table.json()));
    return json;
  }

  /**
   * Puts the report into its section of a document, and plots and raw figures (histograms, JSON)
   * into the folder {@code benchmarks} beside that, in place of those of the run before.
   *
   * @throws IOException when a file cannot be written, or the document has no place for it
   */
  public void write(Path document, GeneratedSection section) throws IOException {
    Path folder = document.toAbsolutePath().resolveSibling("benchmarks");
    Files.createDirectories(folder);
    try (DirectoryStream<Path> old = Files.newDirectoryStream(folder, benchmark + "{-*,.json}")) {
      for (Path file : old) {
        Files.delete(file);
      }
    }
    StringBuilder text = new StringBuilder(markdown());
    for (Plot plot : plots) {
      if (plot.write(folder, benchmark)) {
        text.append(plot.markdown(benchmark)).append('\n');
      }
    }
    for (Map.Entry<String, Histogram> each : raw.entrySet()) {
      Path file = folder.resolve(benchmark + "-" + each.getKey() + ".hgrm");
      try (PrintStream out = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
        each.getValue().outputPercentileDistribution(out, TICKS, 1.0);
      }
    }
    String json = new GsonBuilder().setPrettyPrinting().create().toJson(json());
    Files.writeString(folder.resolve(benchmark + ".json"), json + "\n");
    section.replace(document, text.toString());
  }
}
