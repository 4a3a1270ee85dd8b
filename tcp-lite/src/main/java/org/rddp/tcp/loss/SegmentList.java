package org.rddp.tcp.loss;

/**
 * A list of segments of a queue, linked through its arrays; each segment is in at most one list.
 */
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

  /** The segment after one of the list, {@link SegmentQueue#NONE} after the last. */
  int after(int slot) {
    return queue.arrays.next[slot];
  }

  /** Octets of all segments in the list. */
  long octets() {
    return octets;
  }

  void append(int slot) {
    link(last, slot, SegmentQueue.NONE);
  }

  void prepend(int slot) {
    link(SegmentQueue.NONE, slot, first);
  }

  /** Inserts a segment before one in the list. */
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

  /** Subtracts octets that were cut off a segment of the list. */
  void shrunk(int octetsLess) {
    octets -= octetsLess;
  }
}
