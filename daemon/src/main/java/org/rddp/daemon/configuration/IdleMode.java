package org.rddp.daemon.configuration;

/** What an engine's thread does when a turn found nothing to do. */
public enum IdleMode {
  /** Polls on: shortest latency, a whole core. */
  SPIN,
  /** Polls a while, then offers the core to others at every turn, then sleeps for microseconds. */
  BACKOFF,
  /** Offers the core to others at every turn. */
  YIELD,
  /** Sleeps for microseconds at once: the least load, the longest latency. */
  PARK
}
