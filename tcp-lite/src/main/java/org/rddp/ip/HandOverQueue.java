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

  private static final int CAPACITY = 256;

  /** Cache lines between the two ends, so that neither thread invalidates the other's. */
  private static final int PAD = 16;

  private static final int HEAD = PAD;
  private static final int TAIL = 3 * PAD;
  private static final VarHandle POSITION = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] words = new long[CAPACITY * WORDS];
  private final long[] positions = new long[5 * PAD];

  /** The producer's copy of the head, possibly old. */
  private long oldHead;

  /** The first entry that the consumer has not seen. */
  private long next;

  /**
   * Adds an entry. One thread.
   *
   * @return whether there was room
   */
  boolean offer(long first, long second, long third, long fourth, long fifth) {
    long tail = positions[TAIL];
    if (tail - oldHead == CAPACITY) {
      oldHead = (long) POSITION.getAcquire(positions, HEAD);
      if (tail - oldHead == CAPACITY) {
        return false;
      }
    }
    int at = (int) (tail & CAPACITY - 1) * WORDS;
    words[at] = first;
    words[at + 1] = second;
    words[at + 2] = third;
    words[at + 3] = fourth;
    words[at + 4] = fifth;
    POSITION.setRelease(positions, TAIL, tail + 1);
    return true;
  }

  /** Entries that wait. The other thread. */
  int size() {
    return (int) ((long) POSITION.getAcquire(positions, TAIL) - next);
  }

  /** A word of the oldest entry, of which there is one. */
  long word(int index) {
    return words[(int) (next & CAPACITY - 1) * WORDS + index];
  }

  /** Removes the oldest entry. */
  void remove() {
    POSITION.setRelease(positions, HEAD, ++next);
  }
}
