package org.rddp.daemon;

import org.rddp.daemon.engine.ConnectionFailure;
import org.rddp.daemon.engine.FaultHandler;

/** Forwards faults to the control server's handler, which is created after the engines. */
final class FaultForwarder implements FaultHandler {
  private FaultHandler handler;

  /** Sets the handler. Call it before the engines' threads start. */
  void forwardTo(FaultHandler next) {
    handler = next;
  }

  @Override
  public void onFault(String where, Throwable cause) {
    handler.onFault(where, cause);
  }

  @Override
  public void onRestart(String engine, int sessions, Throwable cause) {
    handler.onRestart(engine, sessions, cause);
  }

  @Override
  public void onRefused(String detail) {
    handler.onRefused(detail);
  }

  @Override
  public void onConnectionFailed(ConnectionFailure failure) {
    handler.onConnectionFailed(failure);
  }
}
