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
}
