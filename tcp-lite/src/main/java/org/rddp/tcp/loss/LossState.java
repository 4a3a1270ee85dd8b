package org.rddp.tcp.loss;

/** How the losses of a connection are being repaired. */
public enum LossState {
  /** No loss is known. */
  OPEN(0),
  /** The peer has echoed congestion: the window is being reduced (RFC 3168). */
  REDUCING(1),
  /** A loss is being repaired while the window is reduced (RFC 9937). */
  RECOVERING(2),
  /** The timer has expired, or EMSS was lowered: the congestion window limits retransmissions. */
  LOSS(3);

  private static final LossState[] ALL = values();

  private final int code;

  LossState(int code) {
    this.code = code;
  }

  /** The state's number in a trace. */
  public int code() {
    return code;
  }

  /**
   * The state with a number.
   *
   * @param code 0 to 3
   */
  public static LossState of(int code) {
    return ALL[code];
  }
}
