package org.rddp.group;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A bounded queue of entries from one stack of a {@link StackGroup} to another: one producer
 * thread, one consumer thread, no locks. A full queue refuses further entries.
 */
final class HandOverQueue {
  /** Longs between head and tail, so that neither thread invalidates the other's cache lines. */
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
   * Creates an empty queue.
   *
   * @param capacity entries, a power of two
   */
  HandOverQueue(int capacity) {
    this.capacity = capacity;
    words = new long[capacity * HandOverEntry.WORDS];
  }

  /**
   * Adds a copy of an entry. Producer thread only.
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

  /** Entries that wait. Consumer thread only. */
  int size() {
    return (int) ((long) POSITION.getAcquire(positions, TAIL) - positions[HEAD]);
  }

  /** Takes the oldest entry. The queue must not be empty. Consumer thread only. */
  void take(HandOverEntry entry) {
    entry.read(words, at(positions[HEAD]));
    POSITION.setRelease(positions, HEAD, positions[HEAD] + 1);
  }
}
