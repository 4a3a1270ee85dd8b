package org.rddp.tcp;

/** Why a TCP connection ended. */
public enum CloseReason {
  /** Both halves were closed and everything was acknowledged. */
  NORMAL,
  /** The peer sent a reset. */
  RESET,
  /** The peer has no listener: it answered our SYN by a reset. */
  REFUSED,
  /** The peer did not answer for too long, or could not be reached. */
  TIMEOUT,
  /** This side aborted it. */
  ABORTED,
}
