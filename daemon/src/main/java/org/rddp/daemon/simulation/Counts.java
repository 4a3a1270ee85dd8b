package org.rddp.daemon.simulation;

import java.util.EnumMap;
import java.util.Map;
import org.rddp.simulation.Totals;

/** How often what has happened in a life. */
final class Counts {
  private final Map<Happening, long[]> counts = new EnumMap<>(Happening.class);

  /** Nothing yet. */
  Counts() {
    for (Happening happening : Happening.values()) {
      counts.put(happening, new long[1]);
    }
  }

  void add(Happening happening) {
    counts.get(happening)[0]++;
  }

  void addTo(Totals totals) {
    counts.forEach((happening, count) -> totals.add(happening.words(), count[0]));
  }
}
