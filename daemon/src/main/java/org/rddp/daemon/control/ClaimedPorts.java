package org.rddp.daemon.control;

import java.util.HashMap;
import java.util.Map;

/** The ports at which a program listens, or asks to. Control thread only. */
final class ClaimedPorts {
  /** Listeners, and requests for one, by port. */
  private final Map<Integer, Integer> claims = new HashMap<>();

  private final Map<Integer, Integer> portsByListener = new HashMap<>();

  /** The program asks for a port. */
  void claim(int port) {
    claims.merge(port, 1, Integer::sum);
  }

  /** It has got the port. */
  void opened(int listener, int port) {
    portsByListener.put(listener, port);
  }

  /** It has not got the port. */
  void refused(int port) {
    claims.computeIfPresent(port, (each, count) -> count == 1 ? null : count - 1);
  }

  /** A listener is closed. */
  void closed(int listener) {
    refused(portsByListener.remove(listener));
  }

  /** Whether the program listens at a port, or asks to. */
  boolean contains(int port) {
    return claims.containsKey(port);
  }
}
