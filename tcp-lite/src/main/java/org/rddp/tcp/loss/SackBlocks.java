package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.TcpOptions;

/**
 * Processes SACK blocks: ignores invalid ones, separates a D-SACK from the others, and skips what
 * earlier blocks have reported (RFC 2018, RFC 2883).
 *
 * <p>Without that, a peer that repeats long blocks would have all segments in flight visited with
 * each acknowledgment (CVE-2019-11478).
 */
final class SackBlocks {
  /** More than receivers report at a time; a peer that reports more has some visited again. */
  private static final int MOST_KNOWN = 16;

  private final SegmentQueue queue;
  private final Scoreboard board;

  /** Reported ranges that neither overlap nor touch; the widest, if there are more. */
  private final long[] knownLeft = new long[MOST_KNOWN];

  private final long[] knownRight = new long[MOST_KNOWN];
  private int knownCount;
  private long duplicateLeft;
  private long duplicateRight;

  SackBlocks(SegmentQueue queue, Scoreboard board) {
    this.queue = queue;
    this.board = board;
  }

  /** Forgets all blocks. */
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
   * Processes the D-SACK of an acknowledgment below SND.UNA.
   *
   * @param ack stream position that it acknowledges
   * @param sequence number of that position
   * @param oldest position before which D-SACKs are ignored
   */
  void takeDuplicate(TcpOptions options, long ack, int sequence, long oldest) {
    none();
    if (options.sackBlocks() > 0) {
      long from = ack + SequenceNumber.distance(sequence, options.sackLeft(0));
      long to = ack + SequenceNumber.distance(sequence, options.sackRight(0));
      if (from >= oldest && from < to && duplicate(options, from, to, ack, sequence)) {
        duplicateLeft = from;
        duplicateRight = to;
      }
    }
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
    forgetBefore(una);
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
        mark(Math.max(from, una), to, una);
        remember(Math.max(from, una), to, una);
      }
    }
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

  /** Marks the segments of a block, except in the parts that are known. */
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

  /** Joins a block with the known ranges that it overlaps or touches. */
  private void remember(long from, long to, long una) {
    long left = from;
    long right = to;
    for (int i = knownCount - 1; i >= 0; i--) {
      if (knownLeft[i] <= to && from <= knownRight[i]) {
        long joint = Math.max(from, knownLeft[i]);
        left = Math.min(left, knownLeft[i]);
        right = Math.max(right, knownRight[i]);
        // The segment at the joint may lie wholly in neither.
        mark(joint, joint + 1, left, right, una);
        remove(i);
      }
    }
    if (knownCount < MOST_KNOWN) {
      knownCount++;
      set(knownCount - 1, left, right);
    } else {
      int shortest = shortest();
      if (right - left > knownRight[shortest] - knownLeft[shortest]) {
        set(shortest, left, right);
      }
    }
  }

  private int shortest() {
    int shortest = 0;
    for (int i = 1; i < knownCount; i++) {
      if (knownRight[i] - knownLeft[i] < knownRight[shortest] - knownLeft[shortest]) {
        shortest = i;
      }
    }
    return shortest;
  }

  private void forgetBefore(long una) {
    for (int i = knownCount - 1; i >= 0; i--) {
      if (knownRight[i] <= una) {
        remove(i);
      }
    }
  }

  private void remove(int index) {
    knownCount--;
    set(index, knownLeft[knownCount], knownRight[knownCount]);
  }

  private void set(int index, long left, long right) {
    knownLeft[index] = left;
    knownRight[index] = right;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SackBlocks.class);
    knownCount = snapshot.number("knownCount", knownCount, 0, MOST_KNOWN);
    snapshot.numbers("knownLeft", knownLeft, knownCount);
    snapshot.numbers("knownRight", knownRight, knownCount);
    duplicateLeft = snapshot.number("duplicateLeft", duplicateLeft);
    duplicateRight = snapshot.number("duplicateRight", duplicateRight);
    snapshot.end();
  }
}
