package org.rddp.tcp.storage;

import java.util.Arrays;

/**
 * Which octets of one connection have come before their turn: ranges of stream positions in rising
 * order that neither overlap nor touch, each with the packets that it came in and with how recently
 * it was met. The octets themselves are the user's already.
 *
 * <p>A connection has one only while something is missing; {@link EarlyRangesPool} keeps them
 * meanwhile.
 */
public final class EarlyRanges {
  private static final int SMALLEST = 8;

  private long[] starts = new long[SMALLEST];
  private long[] ends = new long[SMALLEST];
  private long[] touched = new long[SMALLEST];
  private int[] packets = new int[SMALLEST];
  private int count;
  private int packetsInAll;
  private long octets;
  private long clock;

  public boolean isEmpty() {
    return count == 0;
  }

  /** How many ranges there are. */
  public int count() {
    return count;
  }

  /** The first position of range {@code index}. */
  public long start(int index) {
    return starts[index];
  }

  /** The position behind range {@code index}. */
  public long end(int index) {
    return ends[index];
  }

  /** Packets that hold all of them, one for each piece that was handed up by itself. */
  public int packets() {
    return packetsInAll;
  }

  /** Octets in all ranges. */
  public long octets() {
    return octets;
  }

  /** Index of the first range that ends behind a position; {@link #count()} if there is none. */
  public int indexAfter(long position) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle] > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /**
   * Adds octets of one packet, none of which is here.
   *
   * @param most ranges that there may be
   * @return false, and nothing has changed, when there would be more
   */
  public boolean add(long from, long to, int most) {
    int index = indexAfter(from);
    boolean joinsBefore = index > 0 && ends[index - 1] == from;
    boolean joinsBehind = index < count && starts[index] == to;
    if (joinsBefore && joinsBehind) {
      ends[index - 1] = ends[index];
      packets[index - 1] += packets[index];
      remove(index);
      index--;
    } else if (joinsBefore) {
      index--;
      ends[index] = to;
    } else if (joinsBehind) {
      starts[index] = from;
    } else if (count < most) {
      insert(index, from, to);
    } else {
      return false;
    }
    packets[index]++;
    packetsInAll++;
    octets += to - from;
    touched[index] = ++clock;
    return true;
  }

  /** A segment with octets of a range has come again: the range is the one met last. */
  public void touch(int index) {
    touched[index] = ++clock;
  }

  private void insert(int index, long from, long to) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      touched = Arrays.copyOf(touched, 2 * count);
      packets = Arrays.copyOf(packets, 2 * count);
    }
    int behind = count - index;
    System.arraycopy(starts, index, starts, index + 1, behind);
    System.arraycopy(ends, index, ends, index + 1, behind);
    System.arraycopy(touched, index, touched, index + 1, behind);
    System.arraycopy(packets, index, packets, index + 1, behind);
    starts[index] = from;
    ends[index] = to;
    packets[index] = 0;
    count++;
  }

  private void remove(int index) {
    count--;
    int behind = count - index;
    System.arraycopy(starts, index + 1, starts, index, behind);
    System.arraycopy(ends, index + 1, ends, index, behind);
    System.arraycopy(touched, index + 1, touched, index, behind);
    System.arraycopy(packets, index + 1, packets, index, behind);
  }

  /**
   * The left edge has passed the first range.
   *
   * @return how many packets held it
   */
  public int removeFirst() {
    int first = packets[0];
    octets -= ends[0] - starts[0];
    remove(0);
    packetsInAll -= first;
    return first;
  }

  /**
   * Finds the ranges met last.
   *
   * @param indices takes their indices, the last one first
   * @param most how many are wanted, at most as many as there is room for
   * @return how many there are
   */
  public int mostRecent(int[] indices, int most) {
    int found = 0;
    for (int i = 0; i < count; i++) {
      int place = found;
      while (place > 0 && touched[indices[place - 1]] < touched[i]) {
        place--;
      }
      if (place < most) {
        int moved = Math.min(found, most - 1) - place;
        System.arraycopy(indices, place, indices, place + 1, moved);
        indices[place] = i;
        found = Math.min(found + 1, most);
      }
    }
    return found;
  }

  /** Forgets everything. */
  void clear() {
    count = 0;
    packetsInAll = 0;
    octets = 0;
  }
}
