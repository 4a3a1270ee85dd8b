package org.rddp.perf;

/** A measurement cannot be made or continued; the message says why. */
public final class PerfException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An exception with a message for the user. */
  public PerfException(String message) {
    super(message);
  }
}
