package org.rddp.tcp;

/** Why a TCP connection ended. */
public enum CloseReason {
  /** Both halves were closed and everything was acknowledged. */
  NORMAL(0),
  /** The peer sent a reset. */
  RESET(1),
  /** The peer has no listener: it answered our SYN by a reset. */
  REFUSED(2),
  /** The peer did not answer for too long, or could not be reached. */
  TIMEOUT(3),
  /** This side aborted it. */
  ABORTED(4);

  private static final CloseReason[] ALL = values();

  private final int code;

  CloseReason(int code) {
    this.code = code;
  }

  /** The reason's number in a trace. */
  public int code() {
    return code;
  }

  /**
   * The reason with a number.
   *
   * @param code 0 to 4
   */
  public static CloseReason of(int code) {
    return ALL[code];
  }
}
