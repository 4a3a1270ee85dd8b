package org.rddp.tcp.loss;

import org.rddp.wire.SequenceNumber;
import org.rddp.wire.TcpOptions;

/**
 * Processes SACK blocks: ignores invalid ones, separates a D-SACK from the others, and skips the
 * parts that the last acknowledgment has already reported (RFC 2018, RFC 2883).
 */
final class SackBlocks {
  private final SegmentQueue queue;
  private final Scoreboard board;
  private final long[] left = new long[TcpOptions.MOST_SACK_BLOCKS];
  private final long[] right = new long[TcpOptions.MOST_SACK_BLOCKS];
  private final long[] knownLeft = new long[TcpOptions.MOST_SACK_BLOCKS];
  private final long[] knownRight = new long[TcpOptions.MOST_SACK_BLOCKS];
  private int count;
  private int knownCount;
  private long duplicateLeft;
  private long duplicateRight;

  SackBlocks(SegmentQueue queue, Scoreboard board) {
    this.queue = queue;
    this.board = board;
  }

  /** Forgets the blocks of the last acknowledgment. */
  void forget() {
    knownCount = 0;
    none();
  }

  /** Whether the last acknowledgment carried a D-SACK. */
  boolean duplicate() {
    return duplicateRight > duplicateLeft;
  }

  /** The first position of the D-SACK. */
  long duplicateLeft() {
    return duplicateLeft;
  }

  /** The position behind the D-SACK. */
  long duplicateRight() {
    return duplicateRight;
  }

  /** Processes an acknowledgment without blocks. */
  void none() {
    duplicateLeft = 0;
    duplicateRight = 0;
  }

  /**
   * Processes the blocks of an acknowledgment after its cumulative part.
   *
   * @param una stream position that it acknowledges
   * @param sequence number of that position
   * @param max one past the last octet sent
   * @param oldest position before which D-SACKs are ignored
   */
  void take(TcpOptions options, long una, int sequence, long max, long oldest) {
    none();
    count = 0;
    for (int i = 0; i < options.sackBlocks(); i++) {
      long from = una + SequenceNumber.distance(sequence, options.sackLeft(i));
      long to = una + SequenceNumber.distance(sequence, options.sackRight(i));
      if (from >= to || to > max) {
        continue;
      }
      if (i == 0 && duplicate(options, from, to, una, sequence)) {
        if (from >= oldest) {
          duplicateLeft = from;
          duplicateRight = to;
        }
      } else if (to > una) {
        left[count] = Math.max(from, una);
        right[count] = to;
        count++;
      }
    }
    for (int i = 0; i < count; i++) {
      mark(left[i], right[i], una);
    }
    remember();
  }

  /**
   * Whether the first block is a D-SACK: already acknowledged, or within the second (RFC 2883
   * section 4).
   */
  private static boolean duplicate(TcpOptions options, long from, long to, long una, int sequence) {
    if (to <= una) {
      return true;
    }
    if (options.sackBlocks() < 2) {
      return false;
    }
    long secondLeft = una + SequenceNumber.distance(sequence, options.sackLeft(1));
    long secondRight = una + SequenceNumber.distance(sequence, options.sackRight(1));
    return from >= secondLeft && to <= secondRight;
  }

  /** Marks the segments of a block, except in the parts that the last blocks covered. */
  private void mark(long from, long to, long una) {
    long at = from;
    while (at < to) {
      int known = knownAt(at);
      if (known >= 0) {
        at = knownRight[known];
        continue;
      }
      long until = Math.min(to, nextKnownLeft(at));
      mark(at, until, from, to, una);
      at = until;
    }
  }

  private int knownAt(long position) {
    for (int i = 0; i < knownCount; i++) {
      if (knownLeft[i] <= position && position < knownRight[i]) {
        return i;
      }
    }
    return -1;
  }

  private long nextKnownLeft(long position) {
    long nearest = Long.MAX_VALUE;
    for (int i = 0; i < knownCount; i++) {
      if (knownLeft[i] > position) {
        nearest = Math.min(nearest, knownLeft[i]);
      }
    }
    return nearest;
  }

  /** Marks the segments that overlap a part of a block and lie wholly in the block. */
  private void mark(long partFrom, long partTo, long from, long to, long una) {
    for (long number = queue.find(partFrom); number < board.unsent(); number++) {
      int slot = queue.slot(number);
      if (queue.position(slot) >= partTo || queue.end(slot) > to) {
        break;
      }
      if (Math.max(queue.position(slot), una) >= from) {
        board.sack(slot);
      }
    }
  }

  private void remember() {
    System.arraycopy(left, 0, knownLeft, 0, count);
    System.arraycopy(right, 0, knownRight, 0, count);
    knownCount = count;
  }
}
