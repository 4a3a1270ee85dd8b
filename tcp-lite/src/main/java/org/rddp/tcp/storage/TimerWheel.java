package org.rddp.tcp.storage;

import java.util.ArrayList;
import java.util.List;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * A hierarchical timer wheel: starting and stopping a timer takes constant time and allocates
 * nothing.
 *
 * <p>The time in ticks has eight digits to the base 64. A timer lies on the level of the highest
 * digit in which it differs from the current time, in the slot of that digit; when the time reaches
 * the slot, its timers move to lower levels. On the lowest level, timers of the current tick are
 * ordered by nanoseconds.
 *
 * <p>An entry may be returned before its deadline: postponing a deadline, as every acknowledgment
 * does, costs nothing until the old deadline. So a busy connection moves once per retransmission
 * timeout, not once per segment.
 */
public final class TimerWheel {
  /** A tick is 2^16 nanoseconds, which leaves 48 bits of ticks. */
  private static final int TICK_SHIFT = 16;

  private static final int DIGIT = 6;
  private static final int DIGITS = 1 << DIGIT;
  private static final int LEVELS = 8;

  /** The slot of entries that are due. */
  private static final short DUE = LEVELS * DIGITS;

  private static final long NONE = Long.MAX_VALUE;

  private final ConnectionEntry[] slots = new ConnectionEntry[DUE + 1];

  /** For each level one bit per slot: set if the slot is not empty. */
  private final long[] occupied = new long[LEVELS];

  private long tick;
  private int size;

  /** No entry is due before this time. */
  private long earliest = NONE;

  /**
   * Creates an empty wheel.
   *
   * @param now the time in nanoseconds
   */
  public TimerWheel(long now) {
    tick = tick(now);
  }

  /** The tick of a time; unsigned, since nanoseconds have any origin. */
  private static long tick(long nanoseconds) {
    return (nanoseconds ^ Long.MIN_VALUE) >>> TICK_SHIFT;
  }

  private static long start(long tick) {
    return (tick << TICK_SHIFT) ^ Long.MIN_VALUE;
  }

  private static int digit(long tick, int level) {
    return (int) (tick >>> (level * DIGIT)) & (DIGITS - 1);
  }

  /** Schedules an entry to be returned at its deadline or earlier. */
  public void schedule(ConnectionEntry timed, long deadline) {
    if (timed.timerSlot != ConnectionEntry.NOWHERE) {
      if (deadline >= timed.timerAt) {
        return;
      }
      remove(timed);
    } else if (deadline == NONE) {
      return;
    }
    timed.timerAt = deadline;
    size++;
    place(timed);
    earliest = Math.min(earliest, deadline);
  }

  /** The earliest time at which an entry may be due; {@link Long#MAX_VALUE} for never. */
  public long nextDeadline() {
    return slots[DUE] == null ? earliest : Long.MIN_VALUE;
  }

  /** Removes and returns an entry that is due; null if there is none. */
  public ConnectionEntry poll(long now) {
    if (slots[DUE] == null) {
      if (now < earliest) {
        return null;
      }
      collect(now);
    }
    ConnectionEntry first = slots[DUE];
    if (first != null) {
      remove(first);
    }
    return first;
  }

  /** Removes an entry, if it is scheduled. */
  public void remove(ConnectionEntry timed) {
    short slot = timed.timerSlot;
    if (slot == ConnectionEntry.NOWHERE) {
      return;
    }
    if (timed.timerPrevious == null) {
      slots[slot] = timed.timerNext;
      if (timed.timerNext == null && slot != DUE) {
        occupied[slot >>> DIGIT] &= ~(1L << slot);
      }
    } else {
      timed.timerPrevious.timerNext = timed.timerNext;
    }
    if (timed.timerNext != null) {
      timed.timerNext.timerPrevious = timed.timerPrevious;
    }
    timed.timerNext = null;
    timed.timerPrevious = null;
    timed.timerSlot = ConnectionEntry.NOWHERE;
    if (--size == 0) {
      earliest = NONE;
    }
  }

  /** Advances the time, and moves entries that are due to their slot. */
  private void collect(long now) {
    long until = Math.max(tick(now), tick);
    while (true) {
      earliest = sift(now);
      long next = nextOccupied();
      if (next > until) {
        earliest = next == NONE ? earliest : Math.min(earliest, start(next));
        break;
      }
      tick = next;
      cascade();
    }
    tick = until;
  }

  /** Moves due entries out of the current tick's slot; returns the earliest time of the others. */
  private long sift(long now) {
    long rest = NONE;
    ConnectionEntry timed = slots[digit(tick, 0)];
    while (timed != null) {
      ConnectionEntry next = timed.timerNext;
      if (timed.timerAt <= now) {
        remove(timed);
        size++;
        link(timed, DUE);
      } else {
        rest = Math.min(rest, timed.timerAt);
      }
      timed = next;
    }
    return rest;
  }

  /** The first tick of the next slot that has entries, after the current tick's. */
  private long nextOccupied() {
    long later = occupied[0] & -(2L << tick);
    if (later != 0) {
      return (tick & -DIGITS) + Long.numberOfTrailingZeros(later);
    }
    for (int level = 1; level < LEVELS; level++) {
      if (occupied[level] != 0) {
        int shift = level * DIGIT;
        long above = (tick >>> shift) & -DIGITS;
        return (above + Long.numberOfTrailingZeros(occupied[level])) << shift;
      }
    }
    return NONE;
  }

  /** Moves the entries of the current tick's slots on higher levels down. */
  private void cascade() {
    for (int level = 1; level < LEVELS; level++) {
      int slot = (level << DIGIT) + digit(tick, level);
      ConnectionEntry timed = slots[slot];
      while (timed != null) {
        ConnectionEntry next = timed.timerNext;
        remove(timed);
        size++;
        place(timed);
        timed = next;
      }
    }
  }

  private void place(ConnectionEntry timed) {
    long at = Math.max(tick(timed.timerAt), tick);
    long difference = at ^ tick;
    int level = difference == 0 ? 0 : (63 - Long.numberOfLeadingZeros(difference)) / DIGIT;
    int slot = (level << DIGIT) + digit(at, level);
    occupied[level] |= 1L << slot;
    link(timed, (short) slot);
  }

  private void link(ConnectionEntry timed, short slot) {
    ConnectionEntry first = slots[slot];
    timed.timerSlot = slot;
    timed.timerNext = first;
    if (first != null) {
      first.timerPrevious = timed;
    }
    slots[slot] = timed;
  }

  /** Transfers the time and the entries; when read, the wheel is empty before. */
  public void transfer(Snapshot snapshot, References<ConnectionEntry> entries) {
    snapshot.begin(TimerWheel.class);
    tick = snapshot.number("tick", tick, 0, tick(Long.MAX_VALUE));
    earliest = snapshot.number("earliest", earliest);
    List<ConnectionEntry> written = inOrder();
    int count = snapshot.number("size", written.size(), 0, Integer.MAX_VALUE);
    for (int i = 0; i < count; i++) {
      ConnectionEntry timed =
          entries.transfer(snapshot, "slots", snapshot.reads() ? null : written.get(i));
      if (timed == null || (snapshot.reads() && timed.timerSlot != ConnectionEntry.NOWHERE)) {
        throw snapshot.wrong("an entry is scheduled twice, or is none");
      }
      timed.timerAt = snapshot.number("timerAt", timed.timerAt);
      if (snapshot.reads()) {
        size++;
        place(timed);
        earliest = Math.min(earliest, timed.timerAt);
      }
    }
    snapshot.end();
  }

  /** The entries in an order that leads to the same wheel, if they are placed in it. */
  private List<ConnectionEntry> inOrder() {
    List<ConnectionEntry> order = new ArrayList<>();
    for (ConnectionEntry first : slots) {
      for (ConnectionEntry timed = first; timed != null; timed = timed.timerNext) {
        order.add(timed);
      }
    }
    return order.reversed();
  }
}
