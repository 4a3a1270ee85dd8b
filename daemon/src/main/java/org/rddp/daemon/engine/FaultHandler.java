package org.rddp.daemon.engine;

/** Takes the errors of an engine. Called on the engine's thread; must not block. */
public interface FaultHandler {
  /** An internal error, which ends one session or connection. */
  void onFault(String where, Throwable cause);

  /** A peer broke the protocol, which ends its connection, or a station claims a peer's address. */
  void onRefused(String detail);
}
