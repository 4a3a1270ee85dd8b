package org.rddp.daemon.engine;

import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.tcp.CloseReason;

/**
 * The user of a startup of MPA in which one end has rejected the other: nobody waits for its end.
 * Engine thread only.
 */
final class RejectedStartup extends StartupWatch implements StartupHandler {
  @Override
  public void onRequest(MpaStartup startup, byte[] privateData) {
    throw new IllegalStateException("the Request has been rejected");
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    throw new IllegalStateException("the Request has been rejected");
  }

  @Override
  public void onRejected(byte[] privateData) {
    throw new IllegalStateException("the Request has been rejected");
  }

  @Override
  public void onError(MpaError error, String detail) {}

  @Override
  public void onClosed(CloseReason reason) {}
}
