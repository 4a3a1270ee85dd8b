package org.rddp.client;

import org.rddp.client.types.Reason;

/** The daemon refused a request and changed nothing. */
public final class RefusedException extends RddpException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** A refusal with its reason and its text. */
  public RefusedException(Reason reason, String text) {
    super("the daemon refused: " + text + " (" + reason + ")");
    this.reason = reason;
  }

  /** The daemon's reason. */
  public Reason reason() {
    return reason;
  }
}
