package org.rddp.analysis;

import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.CloseReason;

/** Accepts every request, and ignores every call of MPA but errors, which it throws. */
public abstract class UlpduAdapter implements StartupHandler, UlpduHandler {
  private MpaConnection mpa;

  /** The connection; null before Full Operation. */
  public final MpaConnection mpa() {
    return mpa;
  }

  @Override
  public void onRequest(MpaStartup startup, byte[] privateData) {
    startup.accept(new byte[0]);
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {}

  @Override
  public void onFullOperation(MpaConnection connection) {
    mpa = connection;
  }

  @Override
  public void onRejected(byte[] privateData) {}

  @Override
  public void onUlpdu(Ulpdu ulpdu) {}

  @Override
  public void onSendable() {}

  @Override
  public void onMulpdu(int mulpdu) {}

  @Override
  public void onPeerClosed() {}

  @Override
  public void onError(MpaError error, String detail) {
    throw new IllegalStateException(error + ": " + detail);
  }

  @Override
  public void onClosed(CloseReason reason) {}
}
