package org.rddp.daemon.engine;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The deadlines of an engine's connections that are set: looks at each of them every 20 ms, a few
 * in a turn, so that no turn is held up by how many there are. Engine thread only.
 */
final class Deadlines {
  /** Looked at in a turn. */
  static final int SLICE = 64;

  /** Nanoseconds between two looks at the same one, more where the slices of all take longer. */
  static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(20);

  private Deadline[] set = new Deadline[16];
  private int count;

  /** Those before it have still to be looked at in this round. */
  private int left;

  private long nextRound;

  /** Adds one that has been set; returns its place. */
  int add(Deadline deadline) {
    if (count == set.length) {
      set = Arrays.copyOf(set, 2 * count);
    }
    set[count] = deadline;
    return count++;
  }

  /** Takes one out that is not set any more: the last has its place from now on. */
  void remove(int place) {
    Deadline last = set[--count];
    set[count] = null;
    if (place < count) {
      set[place] = last;
      last.setPlace(place);
    }
    left = Math.min(left, count);
  }

  /** Ends what has waited too long, of those whose turn it is. */
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
