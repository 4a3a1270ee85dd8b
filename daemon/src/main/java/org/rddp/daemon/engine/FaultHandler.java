package org.rddp.daemon.engine;

/** Takes the errors of an engine. Called on the engine's thread; must not block. */
public interface FaultHandler {
  /** An internal error, which ends one session or connection. */
  void onFault(String where, Throwable cause);

  /**
   * An engine restarts because its turns have failed.
   *
   * @param engine its name
   * @param sessions that end
   * @param cause of the last failure
   */
  default void onRestart(String engine, int sessions, Throwable cause) {
    onFault(engine, cause);
  }

  /** A station claims a peer's address. */
  void onRefused(String detail);

  /** A connection has failed, mostly because a peer broke the protocol or the network failed. */
  default void onConnectionFailed(ConnectionFailure failure) {
    onRefused(failure.toString());
  }
}
