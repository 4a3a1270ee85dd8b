package org.rddp.daemon;

import org.rddp.daemon.control.ControlServer;
import org.rddp.daemon.engine.ConnectionFailure;
import org.rddp.daemon.engine.FaultHandler;

/** Forwards faults to the control server, which is created after the engines. */
final class FaultForwarder implements FaultHandler {
  private ControlServer control;

  /** Sets the control server. Call it before the engines' threads start. */
  void forwardTo(ControlServer server) {
    control = server;
  }

  @Override
  public void onFault(String where, Throwable cause) {
    control.onFault(where, cause);
  }

  @Override
  public void onRestart(String engine, int sessions, Throwable cause) {
    control.onRestart(engine, sessions, cause);
  }

  @Override
  public void onRefused(String detail) {
    control.onRefused(detail);
  }

  @Override
  public void onConnectionFailed(ConnectionFailure failure) {
    control.onConnectionFailed(failure);
  }
}
