package org.rddp.ip;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one stack of a {@link StackGroup} hands over to another: entries of a few words, from one
 * thread to one other, without locks. When it is full, the entry is refused.
 */
final class HandOverQueue {
  /** Words of an entry, at most. */
  static final int WORDS = 8;

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
    words = new long[capacity * WORDS];
  }

  /**
   * Adds an entry. One thread.
   *
   * @return whether there was room
   */
  boolean offer(
      long first, long second, long third, long fourth, long fifth, long sixth, long seventh) {
    long tail = positions[TAIL];
    if (tail - positions[OLD_HEAD] == capacity) {
      positions[OLD_HEAD] = (long) POSITION.getAcquire(positions, HEAD);
      if (tail - positions[OLD_HEAD] == capacity) {
        return false;
      }
    }
    int at = (int) (tail & capacity - 1) * WORDS;
    words[at] = first;
    words[at + 1] = second;
    words[at + 2] = third;
    words[at + 3] = fourth;
    words[at + 4] = fifth;
    words[at + 5] = sixth;
    words[at + 6] = seventh;
    POSITION.setRelease(positions, TAIL, tail + 1);
    return true;
  }

  /** Entries that wait. The other thread. */
  int size() {
    return (int) ((long) POSITION.getAcquire(positions, TAIL) - positions[HEAD]);
  }

  /** A word of the oldest entry, of which there is one. */
  long word(int index) {
    return words[(int) (positions[HEAD] & capacity - 1) * WORDS + index];
  }

  /** Removes the oldest entry. */
  void remove() {
    POSITION.setRelease(positions, HEAD, positions[HEAD] + 1);
  }
}
