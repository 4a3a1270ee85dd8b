package org.rddp.ddp.receiving;

import static org.rddp.ddp.receiving.HeldMemory.BLOCK;
import static org.rddp.ddp.receiving.HeldMemory.NONE;

import java.lang.foreign.Arena;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/**
 * Copies of segments that wait, in the order sent, for the user to post a buffer. Their total size
 * is bounded. They lie in blocks of the engine's memory, which are returned one by one as segments
 * are removed.
 */
public final class HeldSegments {
  private static final int POSITION = 0;
  private static final int LENGTH = 8;

  /** Octets of bookkeeping before each segment, in one block. */
  private static final int OCTETS = 12;

  /** Octets of the longest segment. */
  private static final int LONGEST = 0xffff;

  private final int bound;
  private final HeldMemory memory;
  private final HeldShare share;
  private final Ulpdu firstSegment = new Ulpdu();
  private int segments;

  /** The chain of blocks: {@link HeldMemory#NONE} if there are no segments. */
  private int firstBlock = NONE;

  private int lastBlock = NONE;
  private int blocks;

  /** Where the first segment begins in the first block. */
  private int first;

  /** Where the last segment ends in the last block. */
  private int end;

  /** Octets of the segments, without bookkeeping and padding. */
  private long octets;

  /**
   * Octets of the first held segment, while it is held. They do not count against the bound, since
   * TCP's window may have opened for most of them before it was withheld.
   */
  private int uncounted;

  /**
   * Creates an empty queue.
   *
   * @param bound the most octets of the segments after the first, headers included; 0 holds
   *     nothing. A segment takes no more of the bound than of TCP's window, so a bound of the
   *     window's size always suffices
   * @param memory where they lie
   * @param share of the memory; also limits the first segment; null for all of it
   */
  public HeldSegments(int bound, HeldMemory memory, HeldShare share) {
    this.bound = bound;
    this.memory = memory;
    this.share = share;
  }

  /** Whether a segment may be held at all. */
  boolean isAllowed() {
    return bound > 0;
  }

  public boolean isEmpty() {
    return segments == 0;
  }

  /** Octets of the segments, headers included. */
  public long octets() {
    return octets;
  }

  /**
   * Appends a copy of a segment; returns false if it would exceed the bound, which the first
   * segment cannot, or the share, or if no memory is left.
   */
  public boolean add(Ulpdu segment) {
    int charged = charged(segment.length());
    boolean exceeds = isEmpty() ? !isAllowed() : octets - uncounted + charged > bound; // DDP-7.1-05
    if (exceeds || !makeRoom(size(segment.length()))) {
      return false;
    }
    uncounted = isEmpty() ? charged : uncounted;
    append(segment);
    segments++;
    octets += charged;
    return true;
  }

  /**
   * Octets that a segment counts for: at least a whole header, to bound the bookkeeping as well.
   */
  private static int charged(int length) {
    return Math.max(length, DdpHeader.TAGGED_LENGTH);
  }

  /** Octets that a segment takes in the blocks. */
  private static int size(int length) {
    return OCTETS + (length + 3 & ~3);
  }

  /**
   * Takes the blocks that a segment needs, and sets {@link #lastBlock} to the block where it
   * begins.
   */
  private boolean makeRoom(int size) {
    boolean inLast = lastBlock != NONE && end + OCTETS <= BLOCK;
    int room = inLast ? BLOCK - end : 0;
    int more = Math.max(size - room + BLOCK - 1, 0) / BLOCK;
    if (more > memory.freeBlocks() || (share != null && !share.take(more))) {
      return false;
    }
    blocks += more;
    int last = lastBlock;
    for (int i = 0; i < more; i++) {
      int block = memory.take();
      if (last == NONE) {
        firstBlock = block;
      } else {
        memory.link(last, block);
      }
      last = block;
    }
    if (!inLast) {
      lastBlock = lastBlock == NONE ? firstBlock : memory.next(lastBlock);
      end = 0;
    }
    return true;
  }

  private void append(Ulpdu segment) {
    long at = memory.address(lastBlock) + end;
    Memory.putLong(at + POSITION, segment.position());
    Memory.putInt(at + LENGTH, segment.length());
    end += OCTETS;
    int length = segment.length();
    for (int copied = 0; copied < length; ) {
      if (end == BLOCK) {
        lastBlock = memory.next(lastBlock);
        end = 0;
      }
      int part = Math.min(length - copied, BLOCK - end);
      segment.copy(copied, memory.address(lastBlock) + end, part);
      copied += part;
      end += part;
    }
    end = end + 3 & ~3;
  }

  /** Stream position of the first segment; must not be empty. */
  public long firstPosition() {
    return Memory.getLong(memory.address(firstBlock) + first + POSITION);
  }

  private int firstLength() {
    return Memory.getInt(memory.address(firstBlock) + first + LENGTH);
  }

  /** The first segment, valid until the next {@link #add}; must not be empty. */
  Ulpdu first() {
    return segment(firstBlock, first);
  }

  /** The segment that begins at an offset of a block. */
  private Ulpdu segment(int begin, int offset) {
    long header = memory.address(begin) + offset;
    firstSegment.reset(Memory.getLong(header + POSITION), false);
    int block = begin;
    int at = offset + OCTETS;
    for (int left = Memory.getInt(header + LENGTH); left > 0; ) {
      if (at == BLOCK) {
        block = memory.next(block);
        at = 0;
      }
      int part = Math.min(left, BLOCK - at);
      firstSegment.add(memory.address(block) + at, part);
      left -= part;
      at += part;
    }
    return firstSegment;
  }

  public void removeFirst() {
    int length = firstLength();
    segments--;
    if (isEmpty()) {
      clear();
      return;
    }
    octets -= charged(length);
    uncounted = 0;
    first += size(length);
    while (first + OCTETS > BLOCK) {
      int block = firstBlock;
      firstBlock = memory.next(block);
      first = Math.max(first - BLOCK, 0);
      give(block, block, 1);
    }
  }

  /** Removes all segments. */
  void clear() {
    if (blocks > 0) {
      give(firstBlock, lastBlock, blocks);
    }
    firstBlock = NONE;
    lastBlock = NONE;
    segments = 0;
    first = 0;
    end = 0;
    octets = 0;
    uncounted = 0;
  }

  private void give(int from, int to, int count) {
    memory.give(from, to, count);
    blocks -= count;
    if (share != null) {
      share.give(count);
    }
  }

  /** Transfers the segments; when read, there are none before. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(HeldSegments.class);
    int count = snapshot.number("segments", segments, 0, Integer.MAX_VALUE);
    try (Arena arena = Arena.ofConfined()) {
      long copy = arena.allocate(LONGEST).address();
      int block = firstBlock;
      int at = first;
      for (int i = 0; i < count; i++) {
        if (snapshot.reads()) {
          read(snapshot, copy);
        } else {
          while (at + OCTETS > BLOCK) {
            block = memory.next(block);
            at = Math.max(at - BLOCK, 0);
          }
          at += write(snapshot, segment(block, at), copy);
        }
      }
    }
    uncounted = snapshot.number("uncounted", uncounted);
    snapshot.end();
  }

  /** Writes a segment by way of a copy; returns the octets that it takes in the blocks. */
  private static int write(Snapshot snapshot, Ulpdu segment, long copy) {
    int length = segment.length();
    segment.copy(0, copy, length);
    snapshot.number("position", segment.position());
    snapshot.number("length", length);
    snapshot.octets("octets", copy, length);
    return size(length);
  }

  private void read(Snapshot snapshot, long copy) {
    long position = snapshot.number("position", 0L);
    int length = snapshot.number("length", 0, 0, LONGEST);
    snapshot.octets("octets", copy, length);
    if (!makeRoom(size(length))) {
      throw snapshot.wrong("no memory is left for held segments");
    }
    append(Ulpdu.of(position, copy, length));
    segments++;
    octets += charged(length);
  }
}
