package org.rddp.tcp.storage;

import java.util.Arrays;
import org.rddp.snapshot.Snapshot;

/**
 * A set of positions as ranges in ascending order that neither overlap nor touch. Single-threaded;
 * allocates only to grow.
 */
public class RangeSet {
  private static final int SMALLEST = 8;

  private long[] starts;
  private long[] ends;
  private int count;

  /**
   * Creates an empty set.
   *
   * @param ranges that there is room for before the set grows, 0 or more
   */
  public RangeSet(int ranges) {
    starts = new long[ranges];
    ends = new long[ranges];
  }

  /** Whether there is no range. */
  public final boolean isEmpty() {
    return count == 0;
  }

  /** Number of ranges. */
  public final int count() {
    return count;
  }

  /** First position of range {@code index}. */
  public final long start(int index) {
    return starts[index];
  }

  /** Position behind range {@code index}. */
  public final long end(int index) {
    return ends[index];
  }

  /** Index of the first range that ends behind a position; {@link #count()} if there is none. */
  public final int indexAfter(long position) {
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

  /** Whether a range ends at a position. */
  public final boolean hasEndAt(long position) {
    return Arrays.binarySearch(ends, 0, count, position) >= 0;
  }

  /** Whether adding a range that touches or overlaps none would exceed {@code most} ranges. */
  public final boolean exceeds(int most, long from, long to) {
    int index = indexAfter(from - 1);
    return count >= most && (index == count || starts[index] > to);
  }

  /**
   * Adds the positions from {@code from} up to {@code to}, at least one, and merges ranges that
   * overlap or touch them.
   *
   * @return the index of the range that now contains them
   */
  public final int add(long from, long to) {
    int first = indexAfter(from - 1);
    int behind = first;
    long start = from;
    long end = to;
    while (behind < count && starts[behind] <= to) {
      start = Math.min(start, starts[behind]);
      end = Math.max(end, ends[behind]);
      behind++;
    }
    if (behind == first) {
      insert(first);
    } else {
      remove(first + 1, behind);
    }
    starts[first] = start;
    ends[first] = end;
    return first;
  }

  private void insert(int index) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, Math.max(SMALLEST, 2 * count));
      ends = Arrays.copyOf(ends, starts.length);
    }
    System.arraycopy(starts, index, starts, index + 1, count - index);
    System.arraycopy(ends, index, ends, index + 1, count - index);
    onInsert(index, count++);
  }

  /** Removes the ranges from one index up to another. */
  private void remove(int from, int to) {
    if (from < to) {
      System.arraycopy(starts, to, starts, from, count - to);
      System.arraycopy(ends, to, ends, from, count - to);
      onRemove(from, to, count);
      count -= to - from;
    }
  }

  /** Removes the first range. */
  public final void removeFirst() {
    remove(0, 1);
  }

  /** Removes every range. */
  public void clear() {
    count = 0;
  }

  /** Shrinks the arrays if they are large and hold only few ranges. */
  public final void trim() {
    if (starts.length > SMALLEST && count <= SMALLEST) {
      starts = Arrays.copyOf(starts, SMALLEST);
      ends = Arrays.copyOf(ends, SMALLEST);
    }
  }

  /** Called after a range was inserted at an index; {@code size} is the number of ranges before. */
  protected void onInsert(int index, int size) {}

  /**
   * Called when the ranges from one index up to another are removed; {@code size} is the number of
   * ranges before.
   */
  protected void onRemove(int from, int to, int size) {}

  /** Transfers the ranges; when read, the set is empty before. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(RangeSet.class);
    int ranges = snapshot.number("count", count, 0, Integer.MAX_VALUE);
    long edge = Long.MIN_VALUE;
    for (int i = 0; i < ranges; i++) {
      long start = snapshot.number("starts", snapshot.reads() ? 0 : starts[i]);
      long end = snapshot.number("ends", snapshot.reads() ? 0 : ends[i]);
      if (snapshot.reads()) {
        if (start <= edge || end <= start) {
          throw snapshot.wrong("ranges overlap or touch at " + start);
        }
        int ignored = add(start, end);
      }
      edge = end;
    }
    snapshot.end();
  }
}
