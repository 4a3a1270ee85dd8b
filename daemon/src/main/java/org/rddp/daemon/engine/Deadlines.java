package org.rddp.daemon.engine;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * The set deadlines of an engine's connections. Checks each every 20 ms, {@link #SLICE} in a turn
 * of the duty cycle, so that many deadlines do not lengthen a turn. Engine thread only.
 */
final class Deadlines {
  /** Deadlines checked in a turn. */
  static final int SLICE = 64;

  /** Nanoseconds between two checks of a deadline, more if all slices take longer. */
  static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(20);

  private Deadline[] set = new Deadline[16];
  private int count;

  /** Deadlines before this index remain to be checked in this round. */
  private int left;

  private long nextRound;

  /** Adds a deadline that has been set; returns its index. */
  int add(Deadline deadline) {
    if (count == set.length) {
      set = Arrays.copyOf(set, 2 * count);
    }
    set[count] = deadline;
    return count++;
  }

  /** Removes a deadline that is no longer set; the last one takes its index. */
  void remove(int place) {
    Deadline last = set[--count];
    set[count] = null;
    if (place < count) {
      set[place] = last;
      last.setPlace(place);
    }
    left = Math.min(left, count);
  }

  /**
   * Transfers which deadlines are set, in their order; when read, none is before.
   *
   * @param all the deadlines, which have transferred what they wait for
   */
  void transfer(Snapshot snapshot, References<Deadline> all) {
    snapshot.begin(Deadlines.class);
    int written = snapshot.number("count", count, 0, Integer.MAX_VALUE);
    for (int i = 0; i < written; i++) {
      Deadline deadline = all.require(snapshot, "set", snapshot.reads() ? null : set[i]);
      if (snapshot.reads() && !deadline.resume()) {
        throw snapshot.wrong("a deadline is set twice");
      }
    }
    left = snapshot.number("left", left, 0, count);
    nextRound = snapshot.number("nextRound", nextRound);
    snapshot.end();
  }

  /** Time of the next call of {@link #expire}; {@link Long#MAX_VALUE} if none is set. */
  long next() {
    return count == 0 ? Long.MAX_VALUE : nextRound;
  }

  /** Checks the deadlines of the next slice. */
  void expire(long now) {
    if (left == 0) {
      if (now - nextRound < 0) {
        return;
      }
      nextRound = now + PERIOD;
      left = count;
    }
    for (int i = 0; i < SLICE && left > 0; i++) {
      left--;
      set[left].expireWhenDue(now);
    }
  }
}
