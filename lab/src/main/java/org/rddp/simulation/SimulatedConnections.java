package org.rddp.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The connections of a run, some of them still to be opened. */
public final class SimulatedConnections<C extends SimulatedConnection> {
  /** Time after which an end aborts whose peer is gone. */
  private static final long PATIENCE = 60_000_000_000L;

  private final List<C> connections = new ArrayList<>();
  private final List<C> all = Collections.unmodifiableList(connections);
  private int opened;

  /** Adds a connection that will be opened. */
  public void add(C connection) {
    connections.add(connection);
  }

  /** Counts a connection as opened, also if its host is down. */
  public void opens() {
    opened++;
  }

  /** Whether each has been opened. */
  public boolean allOpened() {
    return opened == connections.size();
  }

  /** All of them. */
  public List<C> all() {
    return all;
  }

  /** The connection whose client has that port; null, and a violation, if there is none. */
  public C of(int port, Violations violations) {
    for (C connection : connections) {
      if (connection.port() == port) {
        return connection;
      }
    }
    violations.add("a connection from port " + port + " that was not opened");
    return null;
  }

  /** See {@link Scenario#supervise}. */
  public void supervise(long now) {
    for (C connection : connections) {
      connection.supervise(now, PATIENCE);
    }
  }

  /** See {@link Scenario#isOver}. */
  public boolean isOver() {
    if (!allOpened()) {
      return false;
    }
    // Called after every turn: no iterator.
    for (int i = 0; i < connections.size(); i++) {
      if (!connections.get(i).done()) {
        return false;
      }
    }
    return true;
  }

  /** See {@link Scenario#progress}. */
  public long progress() {
    long sum = opened;
    for (C connection : connections) {
      sum += connection.progress();
    }
    return sum;
  }
}
