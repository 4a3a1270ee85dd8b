package org.rddp.ddp.receiving;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

/**
 * Segments that wait, in the order of the peer, for the user to post a buffer: copies, within a
 * bound. Memory is only taken when the first segment has to wait.
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

  /** Of segments, without what is kept besides. */
  private long octets;

  /**
   * Of the first to be kept, while it is: TCP's window may have opened for most of it, since it was
   * held from when the segment was whole.
   */
  private int uncounted;

  /**
   * No segments.
   *
   * @param bound the most octets of a segment and of all that come behind it, headers included; 0
   *     holds nothing. Those take no more of it than of TCP's window, so what fits there fits here
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

  /** Keeps a copy of a segment; false if the bound does not allow it. */
  public boolean add(Ulpdu segment) {
    int needed = OCTETS + (segment.length() + 3 & ~3);
    int charged = charged(segment.length());
    if (octets - uncounted + charged > bound) {
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

  /** A segment too short for a header counts as one: what is kept besides has a bound, too. */
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

  /** Where in the stream the first segment lies; there is one. */
  public long firstPosition() {
    return Memory.getLong(memory.address() + first + POSITION);
  }

  /** The first segment, good until the next {@link #add}; there is one. */
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

  /** Forgets everything; the memory stays for the next time. */
  void clear() {
    first = 0;
    end = 0;
    octets = 0;
    uncounted = 0;
  }
}
