package org.rddp.cli;

/** A command failed. The message tells the user why; the exit code is 1. */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception whose message says what failed and, where possible, what to do. */
  public CommandFailedException(String message) {
    super(message);
  }

  /** Creates an exception with a cause. */
  public CommandFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
