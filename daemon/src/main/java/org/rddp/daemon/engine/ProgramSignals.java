package org.rddp.daemon.engine;

import org.rddp.ipc.linux.Descriptor;

/**
 * The signals by which a program wakes its engine's thread. The thread waits for their descriptor
 * but never reads it, since a program can send data that take long to receive; another thread reads
 * it. Engine thread only.
 */
public interface ProgramSignals {
  /** Becomes readable whenever the program signals; other threads may read it. */
  Descriptor descriptor();

  /** Handles a signal. Never waits, and allocates nothing. */
  void onSignal();

  /** Whether so many signals are unread that the program may be unable to send another. */
  boolean isFull();
}
