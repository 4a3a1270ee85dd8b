package org.rddp.mpa;

/** The errors that MPA reports to its user (RFC 5044 section 8, RFC 6581 section 8). */
public enum MpaError {
  /** TCP connection closed, terminated or lost: by the peer's FIN, a reset, or timeout. */
  CONNECTION_LOST(1), // MPA-8-02
  /** A received FPDU's CRC does not match. */
  CRC(2), // MPA-8-02
  /** A Marker and the ULPDU_Length of its FPDU disagree about where the FPDU starts. */
  MARKER(3), // MPA-8-02
  /** An invalid MPA Request or Reply. */
  STARTUP(4), // MPA-8-02
  /** A local error without a number of its own; only peers report it. */
  LOCAL_CATASTROPHIC(5), // P2P-8-01: "Local catastrophic"
  /** The Responder's Reply asks for more RDMA Reads at a time than we, the Initiator, can serve. */
  INSUFFICIENT_IRD(6), // P2P-8-01: "Insufficient IRD resources"
  /** The two ends have no RTR in common, or the first FPDU is not the negotiated RTR. */
  NO_MATCHING_RTR(7); // P2P-8-01: "No matching RTR option"

  private final int code;

  MpaError(int code) {
    this.code = code;
  }

  /** The error's number, 1 to 7. */
  public int code() {
    return code;
  }
}
