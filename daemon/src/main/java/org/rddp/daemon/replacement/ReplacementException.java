package org.rddp.daemon.replacement;

import java.io.IOException;

/** A daemon cannot be replaced now; the one that runs goes on. */
public final class ReplacementException extends IOException {
  private static final long serialVersionUID = 1;

  /** Creates an exception with a text for the operator. */
  public ReplacementException(String message) {
    super(message);
  }

  /** Creates an exception with its cause. */
  public ReplacementException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * The daemon that runs cannot be handed over at present.
   *
   * @param why what is in the way
   * @param cause null if there is none
   */
  public static ReplacementException notNow(String why, Throwable cause) {
    return new ReplacementException(
        "the daemon that runs goes on, as it cannot be handed over now: " + why, cause);
  }
}
