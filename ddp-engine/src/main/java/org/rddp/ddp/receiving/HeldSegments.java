package org.rddp.ddp.receiving;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

/**
 * Copies of segments that wait, in the order sent, for the user to post a buffer. Their total size
 * is bounded. Memory is allocated when the first segment has to wait.
 */
public final class HeldSegments {
  private static final int POSITION = 0;
  private static final int LENGTH = 8;
  private static final int OCTETS = 12;
  private static final int LEAST = 1 << 16;

  private final int bound;
  private MemorySegment memory = MemorySegment.NULL;
  private int first;
  private int end;

  /** Octets of the segments, without bookkeeping and padding. */
  private long octets;

  /**
   * Octets of the first held segment, as long as it is held; they do not count against the bound,
   * since TCP's window may have opened for most of them before it was withheld.
   */
  private int uncounted;

  /**
   * Creates an empty queue.
   *
   * @param bound the most octets of the segments after the first, headers included; 0 holds
   *     nothing. A segment takes no more of the bound than of TCP's window, so a bound as large as
   *     the window always suffices
   */
  public HeldSegments(int bound) {
    this.bound = bound;
  }

  public boolean isEmpty() {
    return first == end;
  }

  /** Octets of the segments, headers included. */
  public long octets() {
    return octets;
  }

  /** Appends a copy of a segment; false if it would exceed the bound, which the first cannot. */
  public boolean add(Ulpdu segment) {
    int needed = OCTETS + (segment.length() + 3 & ~3);
    int charged = charged(segment.length());
    boolean exceeds = isEmpty() ? bound == 0 : octets - uncounted + charged > bound;
    if (exceeds) {
      return false;
    }
    uncounted = isEmpty() ? charged : uncounted;
    if (end + needed > memory.byteSize()) {
      makeRoom(needed);
    }
    long at = memory.address() + end;
    Memory.putLong(at + POSITION, segment.position());
    Memory.putInt(at + LENGTH, segment.length());
    segment.copy(0, at + OCTETS, segment.length());
    end += needed;
    octets += charged;
    return true;
  }

  /** A shorter segment counts as a whole header, to bound the bookkeeping as well. */
  private static int charged(int length) {
    return Math.max(length, DdpHeader.TAGGED_LENGTH);
  }

  private void makeRoom(int needed) {
    int used = end - first;
    MemorySegment source = memory;
    if (2L * (used + needed) > memory.byteSize()) {
      long size = Math.max(LEAST, 4L * (used + needed));
      memory = Arena.ofAuto().allocate(Math.min(size, 4L * ((long) bound + needed) + LEAST), 8);
    }
    MemorySegment.copy(source, first, memory, 0, used);
    first = 0;
    end = used;
  }

  /** Stream position of the first segment; must not be empty. */
  public long firstPosition() {
    return Memory.getLong(memory.address() + first + POSITION);
  }

  /** The first segment, valid until the next {@link #add}; must not be empty. */
  Ulpdu first() {
    long at = memory.address() + first;
    return Ulpdu.of(firstPosition(), at + OCTETS, Memory.getInt(at + LENGTH));
  }

  public void removeFirst() {
    int length = Memory.getInt(memory.address() + first + LENGTH);
    first += OCTETS + (length + 3 & ~3);
    octets -= charged(length);
    uncounted = 0;
    if (first == end) {
      clear();
    }
  }

  /** Removes all segments and keeps the memory for reuse. */
  void clear() {
    first = 0;
    end = 0;
    octets = 0;
    uncounted = 0;
  }
}
