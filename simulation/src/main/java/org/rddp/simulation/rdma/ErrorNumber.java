package org.rddp.simulation.rdma;

import org.rddp.ddp.segment.DdpError;
import org.rddp.mpa.MpaError;
import org.rddp.rdmap.RdmapError;
import org.rddp.rdmap.RdmapHandler;

/**
 * What a Terminate says (RFC 5040 section 4.8).
 *
 * @param layer that found the error
 * @param type Error Type
 * @param code Error Code
 */
record ErrorNumber(int layer, int type, int code) {
  /** The connection is gone, or closed too early. */
  static final ErrorNumber LOST = of(MpaError.CONNECTION_LOST);

  static ErrorNumber of(RdmapError error) {
    return new ErrorNumber(RdmapHandler.LAYER_RDMAP, error.type(), error.code());
  }

  static ErrorNumber of(DdpError error) {
    return new ErrorNumber(RdmapHandler.LAYER_DDP, error.type(), error.code());
  }

  static ErrorNumber of(MpaError error) {
    return new ErrorNumber(RdmapHandler.LAYER_LLP, 0, error.code());
  }

  @Override
  public String toString() {
    return String.format("%d/%d/%02x", layer, type, code);
  }
}
