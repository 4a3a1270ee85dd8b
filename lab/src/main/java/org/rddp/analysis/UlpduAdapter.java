package org.rddp.analysis;

import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.CloseReason;

/** Ignores every call of MPA but errors, which it throws. */
public abstract class UlpduAdapter implements UlpduHandler {
  @Override
  public void onRequest(byte[] privateData) {}

  @Override
  public void onFullOperation(byte[] privateData) {}

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
