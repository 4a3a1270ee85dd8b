package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * The attributes of queued segments, by slot. A segment keeps its slot while it is queued; {@code
 * order} is the order of the slots.
 */
final class SegmentArrays {
  /** Slots, a power of two. */
  final int capacity;

  /** The packet that holds the segment; 0 for a FIN. */
  final long[] packets;

  /** Stream position behind the segment's last octet. */
  final long[] ends;

  /** When it was last sent. */
  final long[] sentAt;

  /** The serial of its last transmission: the connection's transmissions before it. */
  final long[] serials;

  /** Its octets in the sequence space. */
  final int[] lengths;

  /** Octets of each of the segments that it stands for; 0 if it is a single one. */
  final int[] units;

  /** Address of its payload. */
  final long[] payloads;

  /** Whether the previous segment lies in front of it in the same packet. */
  final boolean[] follows;

  /** The partial checksum of its payload, or {@link SegmentQueue#NO_SUM}. */
  final int[] sums;

  /** The previous and next segment in its list. */
  final int[] previous;

  final int[] next;

  /**
   * A ring of all slots: those of queued segments in the order of the stream, then the unused ones.
   */
  final int[] order;

  /** Its state: see {@link Scoreboard}. */
  final byte[] states;

  /** Whether it was sent more than once. */
  final boolean[] retransmitted;

  SegmentArrays(int capacity) {
    this.capacity = capacity;
    packets = new long[capacity];
    ends = new long[capacity];
    sentAt = new long[capacity];
    serials = new long[capacity];
    lengths = new int[capacity];
    units = new int[capacity];
    payloads = new long[capacity];
    follows = new boolean[capacity];
    sums = new int[capacity];
    previous = new int[capacity];
    next = new int[capacity];
    order = new int[capacity];
    for (int slot = 0; slot < capacity; slot++) {
      order[slot] = slot;
    }
    states = new byte[capacity];
    retransmitted = new boolean[capacity];
  }

  /**
   * Copies the contents of smaller arrays that are full.
   *
   * @param head number of the first segment, which determines its place in the ring
   */
  void takeOver(SegmentArrays full, long head) {
    int count = full.capacity;
    System.arraycopy(full.packets, 0, packets, 0, count);
    System.arraycopy(full.ends, 0, ends, 0, count);
    System.arraycopy(full.sentAt, 0, sentAt, 0, count);
    System.arraycopy(full.serials, 0, serials, 0, count);
    System.arraycopy(full.lengths, 0, lengths, 0, count);
    System.arraycopy(full.units, 0, units, 0, count);
    System.arraycopy(full.payloads, 0, payloads, 0, count);
    System.arraycopy(full.follows, 0, follows, 0, count);
    System.arraycopy(full.sums, 0, sums, 0, count);
    System.arraycopy(full.previous, 0, previous, 0, count);
    System.arraycopy(full.next, 0, next, 0, count);
    System.arraycopy(full.states, 0, states, 0, count);
    System.arraycopy(full.retransmitted, 0, retransmitted, 0, count);
    for (int i = 0; i < count; i++) {
      order[(int) (head + i) & (capacity - 1)] = full.order[(int) (head + i) & (count - 1)];
    }
    for (int i = count; i < capacity; i++) {
      order[(int) (head + i) & (capacity - 1)] = i;
    }
  }

  /** Transfers what is known of a segment, its payload apart. */
  void transfer(Snapshot snapshot, int slot) {
    snapshot.begin(SegmentArrays.class);
    sentAt[slot] = snapshot.number("sentAt", sentAt[slot]);
    serials[slot] = snapshot.number("serials", serials[slot]);
    units[slot] = snapshot.number("units", units[slot], 0, SegmentQueue.LONGEST);
    states[slot] =
        (byte) snapshot.number("states", states[slot], Scoreboard.UNSENT, Scoreboard.SACKED);
    retransmitted[slot] = snapshot.flag("retransmitted", retransmitted[slot]);
    snapshot.end();
  }
}
