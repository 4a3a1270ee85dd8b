package org.rddp.tcp.loss;

import java.util.Arrays;
import org.rddp.snapshot.Snapshot;

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

  /**
   * Transfers which segments are in the list; when read, it is empty before.
   *
   * @param state of each of them
   */
  void transfer(Snapshot snapshot, byte state) {
    snapshot.begin(SegmentList.class);
    int[] numbers = numbers();
    int count = snapshot.number("count", numbers.length, 0, queue.size());
    int[] written = Arrays.copyOf(numbers, count);
    snapshot.numbers("segments", written, count);
    boolean[] listed = new boolean[queue.size()];
    for (int i = 0; snapshot.reads() && i < count; i++) {
      int number = written[i];
      if (number < 0 || number >= listed.length || listed[number]) {
        throw snapshot.wrong("segment " + number + " is listed twice, or is none");
      }
      listed[number] = true;
      int slot = queue.slot(queue.head() + number);
      if (queue.arrays.states[slot] != state) {
        throw snapshot.wrong("segment " + number + " is in the wrong list");
      }
      append(slot);
    }
    snapshot.end();
  }

  /** The numbers of the segments, counted from the first of the queue. */
  private int[] numbers() {
    int[] bySlot = new int[queue.arrays.capacity];
    for (int i = 0; i < queue.size(); i++) {
      bySlot[queue.slot(queue.head() + i)] = i;
    }
    int[] numbers = new int[queue.size()];
    int count = 0;
    for (int slot = first; slot != SegmentQueue.NONE; slot = after(slot)) {
      numbers[count++] = bySlot[slot];
    }
    return Arrays.copyOf(numbers, count);
  }
}
