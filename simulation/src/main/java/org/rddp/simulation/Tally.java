package org.rddp.simulation;

import java.util.EnumMap;
import java.util.Map;

/** How often which {@link Deed} was done. */
public final class Tally implements Witness {
  private final Map<Deed, long[]> counts = new EnumMap<>(Deed.class);

  /** Nothing yet. */
  public Tally() {
    for (Deed deed : Deed.values()) {
      counts.put(deed, new long[1]);
    }
  }

  @Override
  public void saw(Deed deed, long frame, int length, int detail) {
    counts.get(deed)[0]++;
  }

  /** How often it was done. */
  public long count(Deed deed) {
    return counts.get(deed)[0];
  }

  /** Adds another tally to this one. */
  public void add(Tally other) {
    other.counts.forEach((deed, count) -> counts.get(deed)[0] += count[0]);
  }
}
