package org.rddp.tcp;

/** A timer of a connection whose expiration a trace shows. */
public enum TcpTimer {
  /** The retransmission timeout, of a SYN or of data (RFC 6298). */
  RETRANSMISSION(0),
  /** The tail loss probe (RFC 8985 section 7). */
  TAIL_LOSS_PROBE(1),
  /** The reordering timer (RFC 8985 section 6.3). */
  REORDERING(2),
  /** The persist timer: only the peer's window holds data back (RFC 9293 section 3.8.6.1). */
  WINDOW_PROBE(3),
  /** The keep-alive timer: a probe is sent (RFC 9293 section 3.8.4). */
  KEEP_ALIVE(4);

  private static final TcpTimer[] ALL = values();

  private final int code;

  TcpTimer(int code) {
    this.code = code;
  }

  /** The timer's number in a trace. */
  public int code() {
    return code;
  }

  /**
   * The timer with a number.
   *
   * @param code 0 to 4
   */
  public static TcpTimer of(int code) {
    return ALL[code];
  }
}
