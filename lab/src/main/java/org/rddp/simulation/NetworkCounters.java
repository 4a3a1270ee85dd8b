package org.rddp.simulation;

import java.util.EnumMap;
import java.util.Map;

/** Counts each {@link NetworkEvent}. */
public final class NetworkCounters implements NetworkListener {
  private final Map<NetworkEvent, long[]> counts = new EnumMap<>(NetworkEvent.class);

  /** All counts are 0. */
  public NetworkCounters() {
    for (NetworkEvent event : NetworkEvent.values()) {
      counts.put(event, new long[1]);
    }
  }

  @Override
  public void onEvent(NetworkEvent event, long frame, int length, int detail) {
    counts.get(event)[0]++;
  }

  /** How often an event has happened. */
  public long count(NetworkEvent event) {
    return counts.get(event)[0];
  }

  /** Adds other counts to these. */
  public void add(NetworkCounters other) {
    other.counts.forEach((event, count) -> counts.get(event)[0] += count[0]);
  }
}
