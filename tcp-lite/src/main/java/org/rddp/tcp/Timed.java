package org.rddp.tcp;

/** What waits for a time in a {@link TimerWheel}: its links there are fields of its own. */
abstract class Timed {
  /** {@link #timerSlot} of one that waits for nothing. */
  static final short NOWHERE = -1;

  /** The next in the same slot. */
  Timed timerNext;

  /** The one before in the same slot; null for the first. */
  Timed timerPrevious;

  /** When the wheel looks at it, in nanoseconds. */
  long timerAt;

  /** The slot of the wheel. */
  short timerSlot = NOWHERE;
}
