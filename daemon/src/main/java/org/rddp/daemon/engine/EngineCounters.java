package org.rddp.daemon.engine;

/** What an engine has done since it started. Written by the engine's thread; others may lag. */
public final class EngineCounters {
  long turns;
  long idleTurns;
  long requests;
  long completions;
  long connectionsOpened;
  long connectionsClosed;
  long startupErrors;
  long startupsRefused;
  long streamErrors;
  long faults;

  /** Turns of the duty cycle. */
  public long turns() {
    return turns;
  }

  /** Turns that found nothing to do. */
  public long idleTurns() {
    return idleTurns;
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

  /** Those of them that have ended. */
  public long connectionsClosed() {
    return connectionsClosed;
  }

  /** Peers refused during MPA's startup. */
  public long startupErrors() {
    return startupErrors;
  }

  /** Peers whose connection was reset because too many startups were under way. */
  public long startupsRefused() {
    return startupsRefused;
  }

  /** Connections that ended with an error of MPA, DDP or RDMAP in Full Operation. */
  public long streamErrors() {
    return streamErrors;
  }

  /** Failures inside, each of which cost one connection or session. */
  public long faults() {
    return faults;
  }
}
