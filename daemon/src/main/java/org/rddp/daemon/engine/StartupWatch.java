package org.rddp.daemon.engine;

import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;

/**
 * Learns how a startup of MPA ends that comes to nothing: another gets the connection of one that
 * does. Engine thread only.
 */
abstract class StartupWatch implements UlpduHandler {
  @Override
  public final void onFullOperation(MpaConnection connection) {
    throw new IllegalStateException("nobody has taken the connection");
  }

  @Override
  public final void onUlpdu(Ulpdu ulpdu) {}

  @Override
  public final void onSendable() {}

  @Override
  public final void onMulpdu(int mulpdu) {}

  @Override
  public final void onPeerClosed() {}
}
