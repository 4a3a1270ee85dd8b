package org.rddp.daemon.engine;

import org.rddp.client.types.Reason;

/** A control request of a program was refused and has changed nothing. */
public final class RequestRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  private final Reason reason;

  /** A refusal with its reason and a text for people. */
  public RequestRefusedException(Reason reason, String text) {
    super(text, null, false, false);
    this.reason = reason;
  }

  /** The number that the program gets. */
  public Reason reason() {
    return reason;
  }
}
