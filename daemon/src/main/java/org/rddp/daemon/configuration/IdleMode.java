package org.rddp.daemon.configuration;

/** The behaviour of an engine's thread after a turn without work. */
public enum IdleMode {
  /** Polls without pause: lowest latency, uses a whole core. */
  SPIN,
  /** Polls for a while, then yields after each turn, then sleeps for microseconds. */
  BACKOFF,
  /**
   * Polls for microseconds, then sleeps until a frame, a program or a timer wakes it; where the
   * device cannot wake it, sleeps for microseconds at a time.
   */
  INTERRUPT,
  /** Yields after each turn. */
  YIELD,
  /** Sleeps for microseconds at once: least load, highest latency. */
  PARK
}
