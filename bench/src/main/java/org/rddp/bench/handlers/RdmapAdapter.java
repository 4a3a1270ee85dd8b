package org.rddp.bench.handlers;

import org.rddp.rdmap.RdmapHandler;
import org.rddp.tcp.CloseReason;

/** Ignores every call of RDMAP but errors and rejections, which it throws. */
public abstract class RdmapAdapter implements RdmapHandler {
  @Override
  public void onRequest(byte[] privateData) {}

  @Override
  public void onEstablished(byte[] privateData) {}

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
