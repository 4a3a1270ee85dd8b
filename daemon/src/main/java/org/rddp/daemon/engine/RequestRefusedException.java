package org.rddp.daemon.engine;

import org.rddp.client.types.Reason;

/** A control request of a program was refused and has changed nothing. */
public final class RequestRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final int detail;

  /** A refusal with its reason and a text for people. */
  public RequestRefusedException(Reason reason, String text) {
    this(reason, 0, text);
  }

  /** A refusal with its reason, a number that depends on it, and a text for people. */
  public RequestRefusedException(Reason reason, int detail, String text) {
    super(text, null, false, false);
    this.reason = reason;
    this.detail = detail;
  }

  /** The number that depends on the reason; 0 for none. */
  public int detail() {
    return detail;
  }

  /** The number that the program gets. */
  public Reason reason() {
    return reason;
  }
}
