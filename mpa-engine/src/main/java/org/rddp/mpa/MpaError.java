package org.rddp.mpa;

/** The errors that MPA reports to its user (RFC 5044 section 8). */
public enum MpaError {
  /** TCP connection closed, terminated or lost: by the peer's FIN, a reset, or timeout. */
  CONNECTION_LOST(1),
  /** A received FPDU's CRC does not match. */
  CRC(2),
  /** A Marker and the ULPDU_Length of its FPDU disagree about where the FPDU starts. */
  MARKER(3),
  /** An invalid MPA Request or Reply. */
  STARTUP(4);

  private final int code;

  MpaError(int code) {
    this.code = code;
  }

  /** The error's number, 1 to 4. */
  public int code() {
    return code;
  }
}
