package org.rddp.daemon.engine;

import org.rddp.ipc.linux.Descriptor;

/**
 * The signals by which a program wakes the thread of its engine. The thread waits for their
 * descriptor and never reads it, since a program may have sent what takes long to receive; another
 * thread does. Engine thread only.
 */
public interface ProgramSignals {
  /** Becomes readable whenever the program signals; other threads may read it. */
  Descriptor descriptor();

  /** A signal has come. Never waits, and allocates nothing. */
  void onSignal();

  /** Whether so many signals have not been read that the program may be unable to send another. */
  boolean isFull();
}
