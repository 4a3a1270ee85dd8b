package org.rddp.tcp.storage;

/**
 * The part of a connection that {@link TcpConnectionTable} and {@link TimerWheel} use: its key, and
 * its links in the wheel, which therefore allocates nothing.
 */
public abstract class ConnectionEntry {
  /** {@link #timerSlot} of an entry that is not in the wheel. */
  static final short NOWHERE = -1;

  /** Remote address, remote port and local port: {@link TcpConnectionTable#key}. */
  public final long key;

  /** The next entry in the same slot. */
  ConnectionEntry timerNext;

  /** The previous entry in the same slot; null for the first. */
  ConnectionEntry timerPrevious;

  /** The time for which the entry is scheduled, in nanoseconds. */
  long timerAt;

  /** The slot of the wheel. */
  short timerSlot = NOWHERE;

  /** Creates an entry that is in no table and no wheel. */
  protected ConnectionEntry(long key) {
    this.key = key;
  }

  /**
   * Touches the cache line of the wheel's links; the result only keeps the JIT from removing the
   * load.
   */
  protected final int prefetchEntry() {
    return timerSlot;
  }
}
