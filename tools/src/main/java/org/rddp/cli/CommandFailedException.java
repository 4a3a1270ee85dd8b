package org.rddp.cli;

/** A command cannot go on, for a reason that its message tells the user. The exit code is 1. */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what failed and, where possible, what to do. */
  public CommandFailedException(String message) {
    super(message);
  }

  /** The same, with what lies behind it. */
  public CommandFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
