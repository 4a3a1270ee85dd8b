package org.rddp.simulation.programs;

import org.rddp.client.types.Reason;
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
  /** The connection is gone, or was closed too early. */
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

  /** The error of a closed connection; null if it was closed for another reason. */
  static ErrorNumber of(Reason reason, int detail) {
    int layer = reason == Reason.TERMINATED ? detail >> 12 : layer(reason);
    return layer < 0 ? null : new ErrorNumber(layer, detail >> 8 & 0xf, detail & 0xff);
  }

  private static int layer(Reason reason) {
    return switch (reason) {
      case RDMAP_ERROR -> RdmapHandler.LAYER_RDMAP;
      case DDP_ERROR -> RdmapHandler.LAYER_DDP;
      case MPA_ERROR -> RdmapHandler.LAYER_LLP;
      case null, default -> -1;
    };
  }

  @Override
  public String toString() {
    return String.format("%d/%d/%02x", layer, type, code);
  }
}
