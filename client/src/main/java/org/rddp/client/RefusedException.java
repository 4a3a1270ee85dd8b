package org.rddp.client;

import org.rddp.client.types.Reason;

/** The daemon refused a request and changed nothing. */
public final class RefusedException extends RddpException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final int errno;

  /** A refusal with its reason and its text. */
  public RefusedException(Reason reason, String text) {
    this(reason, 0, text);
  }

  /**
   * A refusal of an octet stream.
   *
   * @param errno of Linux, for programs with sockets; 0: none
   */
  public RefusedException(Reason reason, int errno, String text) {
    super("the daemon refused: " + text + " (" + reason + ")");
    this.reason = reason;
    this.errno = errno;
  }

  /** The daemon's reason. */
  public Reason reason() {
    return reason;
  }

  /** The error number of Linux that a program with sockets is to see; 0: the daemon says none. */
  public int errno() {
    return errno;
  }
}
