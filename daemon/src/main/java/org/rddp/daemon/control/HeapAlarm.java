package org.rddp.daemon.control;

import java.util.concurrent.TimeUnit;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.log.DaemonEvents;

/** Warns, once a minute at the most, when the heap for programs did not suffice. */
final class HeapAlarm {
  private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

  private final HeapShare heap;
  private final DaemonEvents events;

  /** What was refused until the last warning. */
  private long refused;

  private long warnedAt = System.nanoTime() - PAUSE;

  /**
   * An alarm that has not been raised.
   *
   * @param heap of the daemon as a whole
   */
  HeapAlarm(HeapShare heap, DaemonEvents events) {
    this.heap = heap;
    this.events = events;
  }

  /** Warns if something was refused. Control thread only. */
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
