package org.rddp.daemon.control;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineThread;
import org.rddp.daemon.log.DaemonEvents;

/**
 * Raises an alarm in the log when an engine's thread makes no turn for a second and does not sleep:
 * its programs and peers get no answer meanwhile. Control thread only.
 */
public final class EngineWatch {
  /** Time in ns without a turn after which a thread is stalled. */
  public static final long LIMIT = TimeUnit.SECONDS.toNanos(1);

  /** Interval in ns at which {@link #look} is to be called. */
  static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

  private final EngineThread thread;
  private final String name;
  private final DaemonEvents events;
  private boolean stalled;
  private long stalls;

  /** Watches a thread that has been started. */
  EngineWatch(EngineThread thread, DaemonEvents events) {
    this.thread = thread;
    this.events = events;
    List<Engine> engines = thread.engines();
    name =
        "the engine of "
            + (engines.size() == 1 ? "interface " : "interfaces ")
            + engines.stream().map(Engine::name).collect(Collectors.joining(", "));
  }

  /** Logs when the thread has stalled, and when it goes on. */
  void look() {
    long waited = thread.sinceTurn();
    boolean late = waited >= LIMIT && thread.isAlive();
    if (late && !stalled) {
      stalls++;
      events.warn(
          "ALARM: %s has made no turn for %.1f s%s; the calls of its thread %s, the latest first: %s"
              .formatted(name, waited / 1e9, where(), thread.name(), thread.activity()));
    } else if (!late && stalled) {
      events.info(name + " makes turns again");
    }
    stalled = late;
  }

  /** Of several engines, the one whose turn does not end. */
  private String where() {
    Engine engine = thread.turning();
    return engine == null || thread.engines().size() == 1 ? "" : ", in that of " + engine.name();
  }

  /** Whether the thread has made no turn for so long. */
  public boolean isStalled() {
    return stalled;
  }

  /** How often that has happened since the daemon started. */
  public long stalls() {
    return stalls;
  }
}
