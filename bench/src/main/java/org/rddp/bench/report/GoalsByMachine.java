package org.rddp.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was found for each goal on each processor, the latest run of each. The table itself keeps
 * the figures of the machines that are not at hand.
 */
final class GoalsByMachine {
  private static final String HEADING = "By machine";

  /** What was found, by the goal and then by the machine. */
  private final Map<String, Map<String, String>> found = new LinkedHashMap<>();

  /** Reads the table among the lines of the summary that it is a part of. */
  GoalsByMachine(List<String> summary) {
    List<String> machines = List.of();
    boolean inTable = false;
    for (String line : summary) {
      if (line.startsWith("### ")) {
        inTable = line.equals("### " + HEADING);
      } else if (inTable && line.startsWith("| ")) {
        List<String> cells = GoalSummary.cells(line);
        if (machines.isEmpty()) {
          machines = cells.subList(1, cells.size());
        } else {
          for (int i = 0; i < machines.size(); i++) {
            put(cells.getFirst(), machines.get(i), cells.get(i + 1));
          }
        }
      }
    }
  }

  private void put(String goal, String machine, String figure) {
    if (!figure.isEmpty() && !figure.equals("-")) {
      found.computeIfAbsent(goal, _ -> new LinkedHashMap<>()).put(machine, figure);
    }
  }

  /**
   * Adds what a run has found, in place of an earlier run on that machine.
   *
   * @param description the first line of the run's section: date; machine; and more
   */
  void add(String description, String goal, String figure, boolean disturbed) {
    String[] parts = description.split("; ", -1);
    if (parts.length > 1) {
      put(goal, parts[1], figure + (disturbed ? " *" : ""));
    }
  }

  /** The table, with the goals in this order; goals that there are no more are left out. */
  String markdown(List<String> goals) {
    List<String> machines =
        found.values().stream()
            .flatMap(each -> each.keySet().stream())
            .distinct()
            .sorted()
            .toList();
    ReportTable table =
        new ReportTable(
                "by_machine",
                HEADING,
                "The latest run on each; an asterisk: others used the CPUs meanwhile.")
            .column("goal", "goal");
    machines.forEach(each -> table.column(each, each));
    for (String goal : goals) {
      Map<String, String> figures = found.getOrDefault(goal, Map.of());
      List<Object> row = new ArrayList<>(List.of(goal));
      machines.forEach(each -> row.add(figures.getOrDefault(each, "-")));
      table.add(row.toArray());
    }
    return table.isEmpty() ? "" : table.markdown();
  }
}
