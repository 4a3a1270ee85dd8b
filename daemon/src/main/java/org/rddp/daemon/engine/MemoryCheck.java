package org.rddp.daemon.engine;

import org.rddp.snapshot.Snapshot;

/**
 * The keeper's look at a stream's memory, which finds out whether a program has mapped it. Engine
 * thread only.
 */
final class MemoryCheck {
  private final StreamKeeper keeper;
  private final OctetStream stream;
  private boolean running;

  /** Whether another follows: a program may have mapped the memory behind the keeper's look. */
  private boolean again;

  /** Waits for the outcome; null: nothing does. */
  private Runnable waiting;

  MemoryCheck(StreamKeeper keeper, OctetStream stream) {
    this.keeper = keeper;
    this.stream = stream;
  }

  /** Begins one, if none is running; otherwise another follows it, unless it finds the mapping. */
  void begin() {
    again = running;
    if (!running) {
      running = true;
      keeper.check(stream);
    }
  }

  /** Begins one like {@link #begin()}, and calls {@code then} when its outcome has been used. */
  void begin(Runnable then) {
    Runnable before = waiting;
    waiting =
        before == null
            ? then
            : () -> {
              before.run();
              then.run();
            };
    begin();
  }

  boolean isRunning() {
    return running;
  }

  /**
   * One has ended.
   *
   * @param mapped whether a program has mapped the memory
   * @return whether that is the outcome; false: another was begun
   */
  boolean ended(boolean mapped) {
    running = false;
    if (again && !mapped) {
      begin();
      return false;
    }
    return true;
  }

  /** Transfers whether one is running; when read, it is begun again. Nobody waits for it then. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(MemoryCheck.class);
    if (snapshot.flag("running", running) && snapshot.reads()) {
      begin();
    }
    snapshot.end();
  }

  /** Calls those who wait for the outcome, which has been used. */
  void callWaiting() {
    Runnable then = waiting;
    waiting = null;
    if (then != null) {
      then.run();
    }
  }
}
