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
  long introductionsRefused;
  long introductionsKept;
  long introductionsExpired;
  private final LongAdder startupsWithdrawn = new LongAdder();
  long streamsOpened;
  long streamsClosed;
  long streamsRefused;
  long streamsReset;
  long streamsBridged;
  long firstMessagesAwaited;
  long streamErrors;
  long faults;
  long restarts;

  /** Restarts because of failed turns, each of which ended its sessions. */
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

  /** Sleeps of its thread until a wake-up or a due timer. */
  public long sleeps() {
    return sleeps;
  }

  /** Sleeps that a wake-up has ended early. */
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

  /** Accepted connections whose requests waited a second for the peer's first message. */
  public long firstMessagesAwaited() {
    return firstMessagesAwaited;
  }

  /** Peers refused during MPA's startup. */
  public long startupErrors() {
    return startupErrors;
  }

  /** Peers, now, that have connected and not sent their MPA Request. */
  public long startupsPending() {
    return startupsPending;
  }

  /** Peers reset before their MPA Request arrived, to make room for others. */
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

  /** Counts a peer's request that ended before its program was told. Any thread may call this. */
  public void countWithdrawn() {
    startupsWithdrawn.increment();
  }

  /** Peers whose request ended before their program, which did not read, was told. */
  public long startupsWithdrawn() {
    return startupsWithdrawn.sum();
  }

  /** Connections tried again with revision 1 because the peer closed upon revision 2. */
  public long startupsRetried() {
    return startupsRetried;
  }

  /** Peers' queue pairs refused: nobody has the number, or expects them, or there was no room. */
  public long introductionsRefused() {
    return introductionsRefused;
  }

  /** Peers' queue pairs kept since their number did not expect a peer yet. */
  public long introductionsKept() {
    return introductionsKept;
  }

  /** Peers' queue pairs kept until the time for that was over. */
  public long introductionsExpired() {
    return introductionsExpired;
  }

  /** Octet streams that were established. */
  public long streamsOpened() {
    return streamsOpened;
  }

  /** Octet streams that were established and have ended. */
  public long streamsClosed() {
    return streamsClosed;
  }

  /** Octet streams that this end has reset. */
  public long streamsReset() {
    return streamsReset;
  }

  /** Octet streams that pass through a socket. */
  public long streamsBridged() {
    return streamsBridged;
  }

  /** Octet streams of peers refused: too many waited for the listener, or there was no room. */
  public long streamsRefused() {
    return streamsRefused;
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
