package org.rddp.daemon.engine;

import java.util.concurrent.atomic.LongAdder;

/** Counts since an engine started. Written by its thread; other threads may read old values. */
public final class EngineCounters {
  long turns;
  long idleTurns;
  long sleeps;
  long wakes;
  long requests;
  long completions;
  long connectionsOpened;
  long connectionsClosed;
  long startupErrors;
  long startupsPending;
  long startupsEvicted;
  long startupsRefused;
  long startupsRetried;
  private final LongAdder startupsWithdrawn = new LongAdder();
  long firstMessagesAwaited;
  long streamErrors;
  long faults;
  long restarts;

  /** How often it has begun anew because its turns failed; its sessions have ended then. */
  public long restarts() {
    return restarts;
  }

  /** Turns of the duty cycle. */
  public long turns() {
    return turns;
  }

  /** Turns that found nothing to do. */
  public long idleTurns() {
    return idleTurns;
  }

  /** How often its thread has slept until something woke it, or a timer was due. */
  public long sleeps() {
    return sleeps;
  }

  /** How often something has ended such a sleep before its time was over. */
  public long wakes() {
    return wakes;
  }

  /** Work requests taken. */
  public long requests() {
    return requests;
  }

  /** Completions reported. */
  public long completions() {
    return completions;
  }

  /** Connections that reached Full Operation. */
  public long connectionsOpened() {
    return connectionsOpened;
  }

  /** Connections that reached Full Operation and have ended. */
  public long connectionsClosed() {
    return connectionsClosed;
  }

  /** Accepted connections whose requests have waited for the peer's first message for a second. */
  public long firstMessagesAwaited() {
    return firstMessagesAwaited;
  }

  /** Peers refused during MPA's startup. */
  public long startupErrors() {
    return startupErrors;
  }

  /** Peers that have connected and whose MPA Request has not come, now. */
  public long startupsPending() {
    return startupsPending;
  }

  /**
   * Peers whose connection was reset before their MPA Request had come, to make room for others.
   */
  public long startupsEvicted() {
    return startupsEvicted;
  }

  /**
   * Peers refused because their listener's backlog or their program's session was full, or because
   * they offered no RTR to a listener that requires one.
   */
  public long startupsRefused() {
    return startupsRefused;
  }

  /** A peer's request has ended before its program was told of it. Any thread may call this. */
  public void countWithdrawn() {
    startupsWithdrawn.increment();
  }

  /** Peers whose request ended before their program, which did not read, was told of it. */
  public long startupsWithdrawn() {
    return startupsWithdrawn.sum();
  }

  /**
   * Connections that were tried again with revision 1 since the peer had closed upon revision 2.
   */
  public long startupsRetried() {
    return startupsRetried;
  }

  /** Connections that ended with an error of MPA, DDP or RDMAP in Full Operation. */
  public long streamErrors() {
    return streamErrors;
  }

  /** Internal errors, each of which ended one connection or session. */
  public long faults() {
    return faults;
  }
}
