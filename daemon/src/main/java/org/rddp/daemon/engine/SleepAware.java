package org.rddp.daemon.engine;

/** What a program asks of an engine in shared memory: the program wakes a thread that sleeps. */
interface SleepAware {
  /** Makes the program wake the engine's thread when it asks next, until {@link #endSleep}. */
  void announceSleep();

  /**
   * Notes that the engine's thread is awake. Returns whether the program has woken it, or is about
   * to.
   */
  boolean endSleep();

  /** Whether there is work that the engine finds only by polling. */
  boolean isBlocked();
}
