package org.rddp.simulation.programs;

import java.util.EnumMap;
import java.util.Map;
import org.rddp.simulation.RunTotals;

/** Counts each {@link ProgramEvent} of a run, and each {@link Fault} that was found. */
final class ProgramEventCounts {
  private final Map<ProgramEvent, long[]> counts = new EnumMap<>(ProgramEvent.class);
  private final Map<Fault, long[]> faults = new EnumMap<>(Fault.class);

  /** All counts are 0. */
  ProgramEventCounts() {
    for (ProgramEvent event : ProgramEvent.values()) {
      counts.put(event, new long[1]);
    }
    for (Fault fault : Fault.values()) {
      faults.put(fault, new long[1]);
    }
  }

  void add(ProgramEvent event) {
    counts.get(event)[0]++;
  }

  /** The peer has ended a stream over a wrong request, with the right error. */
  void found(Fault fault) {
    faults.get(fault)[0]++;
  }

  /** Adds all to the totals, with what only plain DDP has or without. */
  void addTo(RunTotals totals, boolean plainDdp) {
    counts.forEach((event, count) -> {
      if (plainDdp || !event.isOfPlainDdp()) {
        totals.add(event.words(), count[0]);
      }
    });
    faults.forEach((fault, count) ->
        totals.add("Terminates " + fault.error() + " for " + fault.words(), count[0]));
  }
}
