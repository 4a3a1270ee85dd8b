package org.rddp.simulation.programs;

import java.util.EnumMap;
import java.util.Map;
import org.rddp.simulation.RunTotals;

/** How often what has happened in a life. */
final class ProgramEventCounts {
  private final Map<ProgramEvent, long[]> counts = new EnumMap<>(ProgramEvent.class);

  /** Nothing yet. */
  ProgramEventCounts() {
    for (ProgramEvent happening : ProgramEvent.values()) {
      counts.put(happening, new long[1]);
    }
  }

  void add(ProgramEvent happening) {
    counts.get(happening)[0]++;
  }

  void addTo(RunTotals totals) {
    counts.forEach((happening, count) -> totals.add(happening.words(), count[0]));
  }
}
