package org.rddp.simulation.rdma;

import java.util.EnumMap;
import java.util.Map;
import org.rddp.simulation.RunTotals;

/** How often what has happened in a life. */
final class RdmapEventCounts {
  private final Map<RdmapEvent, long[]> counts = new EnumMap<>(RdmapEvent.class);
  private final Map<Fault, long[]> faults = new EnumMap<>(Fault.class);

  /** Nothing yet. */
  RdmapEventCounts() {
    for (RdmapEvent happening : RdmapEvent.values()) {
      counts.put(happening, new long[1]);
    }
    for (Fault fault : Fault.values()) {
      faults.put(fault, new long[1]);
    }
  }

  void add(RdmapEvent happening) {
    counts.get(happening)[0]++;
  }

  /** A request that was wrong has been found out as it should. */
  void found(Fault fault) {
    faults.get(fault)[0]++;
  }

  void addTo(RunTotals totals) {
    counts.forEach((happening, count) -> totals.add(happening.words(), count[0]));
    faults.forEach((fault, count) -> {
      String number = fault.error().toString();
      totals.add("Terminates " + number + " for " + fault.words(), count[0]);
    });
  }
}
