package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.rddp.ip.HostAddress;

/**
 * The listeners for octet streams of all programs, by port. The control thread adds and removes,
 * engines look up.
 */
public final class StreamPorts {
  private final Map<Integer, List<StreamListener>> listeners = new ConcurrentHashMap<>();

  /** The listeners of a port, the oldest first. */
  public List<StreamListener> at(int port) {
    return listeners.getOrDefault(port, List.of());
  }

  /** Adds a listener. Control thread only. */
  public void add(StreamListener listener) {
    List<StreamListener> longer = new ArrayList<>(at(listener.port()));
    longer.add(listener);
    listeners.put(listener.port(), List.copyOf(longer));
  }

  /** Removes a listener. Control thread only. */
  public void remove(StreamListener listener) {
    List<StreamListener> shorter = new ArrayList<>(at(listener.port()));
    shorter.remove(listener);
    if (shorter.isEmpty()) {
      listeners.remove(listener.port());
    } else {
      listeners.put(listener.port(), List.copyOf(shorter));
    }
  }

  /**
   * The listener that gets a stream: of those whose address fits best the one with the fewest that
   * wait, and among equals the one that has been asked least.
   */
  public StreamListener find(int port, HostAddress local) {
    StreamListener best = null;
    int fitness = 1;
    for (StreamListener each : at(port)) {
      int fits = each.isClosed() ? 0 : each.fitness(local);
      if (fits > fitness || (fits == fitness && isBetter(each, best))) {
        best = each;
        fitness = fits;
      }
    }
    return best;
  }

  private static boolean isBetter(StreamListener one, StreamListener other) {
    return other == null
        || one.waiting() < other.waiting()
        || (one.waiting() == other.waiting() && one.asked() < other.asked());
  }
}
