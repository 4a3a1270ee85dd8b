package org.rddp.ipc.ring;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Allocates ranges of one memory: first fit; adjacent free ranges are joined. Not for the hot path;
 * one thread.
 */
public final class RangeAllocator {
  private final long capacity;
  private final long alignment;
  private final TreeMap<Long, Long> free = new TreeMap<>();
  private final TreeMap<Long, Long> used = new TreeMap<>();

  /**
   * Creates an allocator whose memory is free.
   *
   * @param capacity size of the memory in octets
   * @param alignment alignment of each range, a power of two
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
   * Allocates a range.
   *
   * @param octets greater than 0, rounded up to the alignment
   * @return offset of the range, or -1 if no free range is large enough
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

  /**
   * Allocates a certain range.
   *
   * @param offset a multiple of the alignment
   * @param octets greater than 0, a multiple of the alignment
   * @return false if not all of it is free
   */
  public boolean take(long offset, long octets) {
    Map.Entry<Long, Long> range = free.floorEntry(offset);
    if (range == null
        || octets <= 0
        || ((offset | octets) & (alignment - 1)) != 0
        || octets > range.getValue() - (offset - range.getKey())) {
      return false;
    }
    long start = range.getKey();
    long end = start + range.getValue();
    free.remove(start);
    if (start < offset) {
      free.put(start, offset - start);
    }
    if (offset + octets < end) {
      free.put(offset + octets, end - offset - octets);
    }
    used.put(offset, octets);
    return true;
  }

  /** The allocated ranges: their octets by their offsets. */
  public SortedMap<Long, Long> ranges() {
    return Collections.unmodifiableSortedMap(used);
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
   * Frees a range.
   *
   * @param offset offset of the range
   * @return its octets, rounded up; 0 if no range begins there
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

  /** The octets of the range at an offset, rounded up; 0 if no range begins there. */
  public long length(long offset) {
    return used.getOrDefault(offset, 0L);
  }

  /** Whether all octets, at least one, lie within one allocated range. */
  public boolean isTaken(long offset, long octets) {
    Map.Entry<Long, Long> range = used.floorEntry(offset);
    return range != null
        && octets > 0
        && octets <= range.getValue()
        && offset - range.getKey() <= range.getValue() - octets;
  }

  /** Whether no range is allocated. */
  public boolean isEmpty() {
    return used.isEmpty();
  }
}
