package org.rddp.daemon.control;

import java.util.concurrent.TimeUnit;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.log.DaemonEvents;

/** Warns at most once a minute that the heap for programs was exhausted. */
final class HeapAlarm {
  private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

  private final HeapShare heap;
  private final DaemonEvents events;

  /** Number of refusals at the last warning. */
  private long refused;

  private long warnedAt = System.nanoTime() - PAUSE;

  /**
   * Creates an alarm, not raised.
   *
   * @param heap of the daemon as a whole
   */
  HeapAlarm(HeapShare heap, DaemonEvents events) {
    this.heap = heap;
    this.events = events;
  }

  /** Warns if a request was refused since the last warning. Control thread only. */
  void check() {
    long more = heap.refused() - refused;
    long now = System.nanoTime();
    if (more > 0 && now - warnedAt >= PAUSE) {
      refused += more;
      warnedAt = now;
      events.warn(
          "ALARM: the heap for programs is used up; sessions and connections refused: %d; give the"
                  .formatted(more)
              + " daemon a larger heap (-Xmx)");
    }
  }
}
