package org.rddp.daemon.metrics;

import java.util.ArrayList;
import java.util.List;
import org.rddp.daemon.control.EngineWatch;
import org.rddp.daemon.engine.EngineThread;

/** Whether the daemon works, and whether programs can use it. Thread-safe. */
public final class Health {
  private final List<EngineThread> threads;
  private volatile boolean ready = true;

  /**
   * Creates the health of a daemon whose devices and control socket are open.
   *
   * @param threads of its engines, started
   */
  public Health(List<EngineThread> threads) {
    this.threads = List.copyOf(threads);
  }

  /** Notes that the daemon is stopping. */
  public void stopping() {
    ready = false;
  }

  /** Why the daemon is not live: a line for each engine thread that makes no turns. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (EngineThread thread : threads) {
      long waited = thread.sinceTurn();
      if (!thread.isAlive()) {
        problems.add("the thread " + thread.name() + " has ended");
      } else if (waited >= EngineWatch.LIMIT) {
        problems.add(
            "the thread %s has made no turn for %.1f s".formatted(thread.name(), waited / 1e9));
      }
    }
    return problems;
  }

  /** Why programs cannot use the daemon: it is not live, or it is stopping. */
  List<String> obstacles() {
    List<String> obstacles = problems();
    if (!ready) {
      obstacles.add("the daemon is stopping");
    }
    return obstacles;
  }
}
