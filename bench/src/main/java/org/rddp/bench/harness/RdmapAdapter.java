package org.rddp.bench.harness;

import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.tcp.CloseReason;

/**
 * Accepts every request, and ignores every call of RDMAP but errors and rejections, which it
 * throws.
 */
public abstract class RdmapAdapter implements StartupHandler, RdmapHandler {
  @Override
  public void onRequest(MpaStartup startup, byte[] privateData) {
    startup.accept(new byte[0]);
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {}

  @Override
  public void onRejected(byte[] privateData) {
    throw new IllegalStateException("rejected");
  }

  @Override
  public void onCompletion(long id, int kind, int status, long octets) {}

  @Override
  public void onError(int layer, int type, int code, String detail) {
    throw new IllegalStateException(detail);
  }

  @Override
  public void onPeerClosed() {}

  @Override
  public void onClosed(CloseReason reason) {}
}
