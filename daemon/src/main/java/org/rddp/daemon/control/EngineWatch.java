package org.rddp.daemon.control;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineThread;
import org.rddp.daemon.log.DaemonEvents;

/**
 * Raises an alarm in the log when an engine's thread makes no turn for a second and does not sleep:
 * its programs and peers get no answers. A thread that stays stalled is stuck. Control thread only.
 */
public final class EngineWatch {
  /** Time in ns without a turn after which a thread is stalled. */
  public static final long LIMIT = TimeUnit.SECONDS.toNanos(1);

  /** Interval in ns at which {@link #look} is to be called. */
  static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

  private final EngineThread thread;
  private final String name;
  private final long stuckLooks;
  private final DaemonEvents events;

  /**
   * Number of consecutive checks that found it stalled. Elapsed time would mislead: after a SIGSTOP
   * or a pause of the machine no thread is stuck.
   */
  private volatile long looks;

  private boolean stalled;
  private long stalls;

  /**
   * Watches a thread that has been started.
   *
   * @param stuckTimeout time in ns without a turn after which it is stuck
   */
  EngineWatch(EngineThread thread, long stuckTimeout, DaemonEvents events) {
    this.thread = thread;
    this.stuckLooks = 1 + Math.ceilDiv(stuckTimeout, PERIOD);
    this.events = events;
    List<Engine> engines = thread.engines();
    name =
        "the engine of "
            + (engines.size() == 1 ? "interface " : "interfaces ")
            + engines.stream().map(Engine::name).collect(Collectors.joining(", "));
  }

  /**
   * Logs when the thread has stalled, and when it goes on.
   *
   * @return whether it has become stuck
   */
  boolean look() {
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
    looks = late ? looks + 1 : 0;
    return looks == stuckLooks;
  }

  /** Whether the thread runs an engine and has stalled, so that the engine gives no answers. */
  boolean isStalled(Engine engine) {
    return stalled && thread.engines().contains(engine);
  }

  /** Whether the thread runs an engine and is stuck, so that the engine can serve no session. */
  boolean isStuck(Engine engine) {
    return looks >= stuckLooks && thread.engines().contains(engine);
  }

  /** The engines of the thread, in words. */
  String description() {
    return name;
  }

  /** Names the stuck engine if the thread runs several. */
  private String where() {
    Engine engine = thread.turning();
    return engine == null || thread.engines().size() == 1 ? "" : ", in that of " + engine.name();
  }

  /** Whether the thread is stalled. */
  public boolean isStalled() {
    return stalled;
  }

  /** Number of stalls since the daemon started. */
  public long stalls() {
    return stalls;
  }
}
