package org.rddp.transfer;

/** Numbers of slots that wait to be posted, in their order: a ring that never allocates. */
final class SlotQueue {
  private final int[] slots;
  private int first;
  private int count;

  /** An empty queue. */
  SlotQueue(int capacity) {
    slots = new int[capacity];
  }

  void add(int slot) {
    slots[(first + count) % slots.length] = slot;
    count++;
  }

  int capacity() {
    return slots.length;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** The first slot; the queue must not be empty. */
  int peek() {
    return slots[first];
  }

  /** Removes the first slot. */
  void remove() {
    first = (first + 1) % slots.length;
    count--;
  }
}
