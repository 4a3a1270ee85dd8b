package org.rddp.tcp;

/** The states of a connection (RFC 9293 section 3.3.2); a {@link TcpListener} is LISTEN. */
public enum TcpState {
  /** We have sent a SYN; no answer yet. */
  SYN_SENT,
  /** Both have sent a SYN; ours is not acknowledged yet. */
  SYN_RECEIVED,
  /** Data flows both ways. */
  ESTABLISHED,
  /** We have closed our half; our FIN is not acknowledged yet. */
  FIN_WAIT_1,
  /** Our half is closed; the peer's is open. */
  FIN_WAIT_2,
  /** The peer has closed its half; ours is open. */
  CLOSE_WAIT,
  /** Both closed at the same time; our FIN is not acknowledged yet. */
  CLOSING,
  /** The peer closed first, then we; our FIN is not acknowledged yet. */
  LAST_ACK,
  /** Both halves are closed; old segments may still be in the network. */
  TIME_WAIT,
  /** The connection has ended. */
  CLOSED;

  /** Whether our half is open: the user may send. */
  boolean open() {
    return this == ESTABLISHED || this == CLOSE_WAIT;
  }

  /** Whether both SYNs are acknowledged and segments may still be sent. */
  boolean synchronised() {
    return this != SYN_SENT && this != SYN_RECEIVED && this != CLOSED;
  }

  /** Whether data may still arrive. */
  boolean receiving() {
    return this == ESTABLISHED || this == FIN_WAIT_1 || this == FIN_WAIT_2;
  }
}
