package org.rddp.daemon.engine;

/** A peer that has connected, and whose MPA Request has not come. */
interface PendingStartup {
  /** Resets the connection without telling a program. */
  void abortSilently();
}
