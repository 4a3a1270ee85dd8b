package org.rddp.daemon.control;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The reserves of all programs in which something is. Those that have not been used for some time
 * are emptied. Control thread only.
 */
final class StreamReserves {
  /**
   * Time in ns between two looks for reserves that have not been used since the one before, which
   * are emptied.
   */
  static final long IDLE = TimeUnit.SECONDS.toNanos(10);

  /** Runs tasks later. */
  interface Timer {
    /** Runs a task after a delay in ns. */
    void after(long nanos, Runnable task);
  }

  private final Timer timer;
  private final Consumer<StreamReserve> empty;

  /** With the users of their programs. */
  private final Map<StreamReserve, Integer> all = new HashMap<>();

  /** Whether {@link #emptyUnused} follows. */
  private boolean looks;

  /**
   * Begins without a reserve.
   *
   * @param empty gives back what is in a reserve, which is none of these any more
   */
  StreamReserves(Timer timer, Consumer<StreamReserve> empty) {
    this.timer = timer;
    this.empty = empty;
  }

  /** There is something in the reserve of a program of a user. */
  void add(StreamReserve reserve, int user) {
    all.put(reserve, user);
    lookLater();
  }

  /** There is nothing in a reserve. */
  void remove(StreamReserve reserve) {
    all.remove(reserve);
  }

  /** All reserves. */
  List<StreamReserve> all() {
    return List.copyOf(all.keySet());
  }

  /** How much is in the reserves of all programs of a user. */
  int count(int user) {
    int count = 0;
    for (Map.Entry<StreamReserve, Integer> each : all.entrySet()) {
      count += each.getValue() == user ? each.getKey().count() : 0;
    }
    return count;
  }

  private void lookLater() {
    if (!looks && !all.isEmpty()) {
      looks = true;
      timer.after(IDLE, this::emptyUnused);
    }
  }

  private void emptyUnused() {
    looks = false;
    for (StreamReserve each : all()) {
      if (!each.wasUsed()) {
        remove(each);
        empty.accept(each);
      }
    }
    lookLater();
  }
}
