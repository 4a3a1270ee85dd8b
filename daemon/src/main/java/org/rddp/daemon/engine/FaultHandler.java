package org.rddp.daemon.engine;

/** Where an engine says what went wrong. Called on the engine's thread; must not block. */
public interface FaultHandler {
  /** Something failed that should not; one session or connection ends over it. */
  void onFault(String where, Throwable cause);

  /** A peer did what the protocol forbids; its connection ends over it. */
  void onRefused(String detail);
}
