package org.rddp.tcp.storage;

/** What waits for a time in a {@link TimerWheel}: its links there are fields of its own. */
public abstract class ConnectionEntry {
  /** {@link #timerSlot} of one that waits for nothing. */
  static final short NOWHERE = -1;

  /** The next in the same slot. */
  ConnectionEntry timerNext;

  /** The one before in the same slot; null for the first. */
  ConnectionEntry timerPrevious;

  /** When the wheel looks at it, in nanoseconds. */
  long timerAt;

  /** The slot of the wheel. */
  public short timerSlot = NOWHERE;
}
