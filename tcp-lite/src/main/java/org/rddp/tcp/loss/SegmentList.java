package org.rddp.tcp.loss;

/** Some of the segments of a send queue, linked through its arrays; each is in one list at most. */
final class SegmentList {
  private final SegmentQueue queue;
  private int first;
  private int last;
  private long octets;

  SegmentList(SegmentQueue queue) {
    this.queue = queue;
    clear();
  }

  void clear() {
    first = SegmentQueue.NONE;
    last = SegmentQueue.NONE;
    octets = 0;
  }

  int first() {
    return first;
  }

  int last() {
    return last;
  }

  boolean isEmpty() {
    return first == SegmentQueue.NONE;
  }

  /** The segment after one of the list's, {@link SegmentQueue#NONE} after the last. */
  int after(int slot) {
    return queue.arrays.next[slot];
  }

  /** What the segments of the list have together. */
  long octets() {
    return octets;
  }

  void append(int slot) {
    link(last, slot, SegmentQueue.NONE);
  }

  void prepend(int slot) {
    link(SegmentQueue.NONE, slot, first);
  }

  /** Puts a segment before one that is in the list. */
  void insertBefore(int other, int slot) {
    link(queue.arrays.previous[other], slot, other);
  }

  private void link(int before, int slot, int after) {
    SegmentArrays arrays = queue.arrays;
    arrays.previous[slot] = before;
    arrays.next[slot] = after;
    if (before == SegmentQueue.NONE) {
      first = slot;
    } else {
      arrays.next[before] = slot;
    }
    if (after == SegmentQueue.NONE) {
      last = slot;
    } else {
      arrays.previous[after] = slot;
    }
    octets += arrays.lengths[slot];
  }

  void remove(int slot) {
    SegmentArrays arrays = queue.arrays;
    int before = arrays.previous[slot];
    int after = arrays.next[slot];
    if (before == SegmentQueue.NONE) {
      first = after;
    } else {
      arrays.next[before] = after;
    }
    if (after == SegmentQueue.NONE) {
      last = before;
    } else {
      arrays.previous[after] = before;
    }
    octets -= arrays.lengths[slot];
  }

  /** A segment of the list has lost so many octets, which another has now. */
  void shrunk(int octetsLess) {
    octets -= octetsLess;
  }
}
