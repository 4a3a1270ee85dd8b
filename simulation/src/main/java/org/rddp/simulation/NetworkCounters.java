package org.rddp.simulation;

import java.util.EnumMap;
import java.util.Map;

/** How often which {@link NetworkEvent} was done. */
public final class NetworkCounters implements NetworkListener {
  private final Map<NetworkEvent, long[]> counts = new EnumMap<>(NetworkEvent.class);

  /** Nothing yet. */
  public NetworkCounters() {
    for (NetworkEvent deed : NetworkEvent.values()) {
      counts.put(deed, new long[1]);
    }
  }

  @Override
  public void onEvent(NetworkEvent deed, long frame, int length, int detail) {
    counts.get(deed)[0]++;
  }

  /** How often it was done. */
  public long count(NetworkEvent deed) {
    return counts.get(deed)[0];
  }

  /** Adds another tally to this one. */
  public void add(NetworkCounters other) {
    other.counts.forEach((deed, count) -> counts.get(deed)[0] += count[0]);
  }
}
