package org.rddp.group;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one stack of a {@link StackGroup} hands over to another: entries from one thread to one
 * other, without locks. When it is full, the entry is refused.
 */
final class HandOverQueue {
  /** Cache lines between the two ends, so that neither thread invalidates the other's. */
  private static final int PAD = 16;

  private static final int HEAD = PAD;
  private static final int TAIL = 3 * PAD;

  /** The producer's copy of the head, possibly old. */
  private static final int OLD_HEAD = TAIL + 1;

  private static final VarHandle POSITION = MethodHandles.arrayElementVarHandle(long[].class);

  private final int capacity;
  private final long[] words;
  private final long[] positions = new long[5 * PAD];

  /**
   * An empty queue.
   *
   * @param capacity entries, a power of two
   */
  HandOverQueue(int capacity) {
    this.capacity = capacity;
    words = new long[capacity * HandOverEntry.WORDS];
  }

  /**
   * Adds a copy of an entry. One thread.
   *
   * @return whether there was room
   */
  boolean offer(HandOverEntry entry) {
    long tail = positions[TAIL];
    if (tail - positions[OLD_HEAD] == capacity) {
      positions[OLD_HEAD] = (long) POSITION.getAcquire(positions, HEAD);
      if (tail - positions[OLD_HEAD] == capacity) {
        return false;
      }
    }
    entry.write(words, at(tail));
    POSITION.setRelease(positions, TAIL, tail + 1);
    return true;
  }

  private int at(long position) {
    return (int) (position & capacity - 1) * HandOverEntry.WORDS;
  }

  /** Entries that wait. The other thread. */
  int size() {
    return (int) ((long) POSITION.getAcquire(positions, TAIL) - positions[HEAD]);
  }

  /** Takes the oldest entry, of which there is one. */
  void take(HandOverEntry entry) {
    entry.read(words, at(positions[HEAD]));
    POSITION.setRelease(positions, HEAD, positions[HEAD] + 1);
  }
}
