package org.rddp.ipc.ring;

import java.util.Map;
import java.util.TreeMap;

/**
 * Cuts ranges from one larger memory: first fit, neighbours joined when they are given back. For
 * control paths; one thread.
 */
public final class RangeAllocator {
  private final long capacity;
  private final long alignment;
  private final TreeMap<Long, Long> free = new TreeMap<>();
  private final TreeMap<Long, Long> used = new TreeMap<>();

  /**
   * All free.
   *
   * @param capacity octets in all
   * @param alignment of each range, a power of two
   */
  public RangeAllocator(long capacity, long alignment) {
    if (capacity <= 0 || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException("capacity " + capacity + ", alignment " + alignment);
    }
    this.capacity = capacity;
    this.alignment = alignment;
    free.put(0L, capacity);
  }

  /**
   * Takes a range.
   *
   * @param octets greater than 0, rounded up to the alignment
   * @return where it begins, or -1 when there is no room
   */
  public long allocate(long octets) {
    if (octets <= 0 || octets > capacity) {
      return -1;
    }
    long size = (octets + alignment - 1) & -alignment;
    long offset = firstFit(size);
    if (offset >= 0) {
      long length = free.remove(offset);
      if (length > size) {
        free.put(offset + size, length - size);
      }
      used.put(offset, size);
    }
    return offset;
  }

  private long firstFit(long size) {
    for (Map.Entry<Long, Long> range : free.entrySet()) {
      if (range.getValue() >= size) {
        return range.getKey();
      }
    }
    return -1;
  }

  /**
   * Gives a range back.
   *
   * @param offset where it begins
   * @return its octets, rounded up; 0 when there is no such range
   */
  public long free(long offset) {
    Long size = used.remove(offset);
    if (size == null) {
      return 0;
    }
    long start = offset;
    long end = offset + size;
    Map.Entry<Long, Long> before = free.lowerEntry(start);
    if (before != null && before.getKey() + before.getValue() == start) {
      start = before.getKey();
    }
    Long after = free.remove(end);
    if (after != null) {
      end += after;
    }
    free.put(start, end - start);
    return size;
  }

  /** The octets of the range that begins there, rounded up; 0 when there is none. */
  public long length(long offset) {
    return used.getOrDefault(offset, 0L);
  }

  /** Whether the octets, one or more of them, all lie within one range that is taken. */
  public boolean isTaken(long offset, long octets) {
    Map.Entry<Long, Long> range = used.floorEntry(offset);
    return range != null
        && octets > 0
        && octets <= range.getValue()
        && offset - range.getKey() <= range.getValue() - octets;
  }

  /** Whether nothing is taken. */
  public boolean isEmpty() {
    return used.isEmpty();
  }
}
