package org.rddp.bench.harness;

/** A rig cannot run on this machine, or cannot do a task. The message gives the reason. */
public final class CannotRunException extends Exception {
  private static final long serialVersionUID = 1;

  /** With a reason of a few words, for a table. */
  public CannotRunException(String reason) {
    super(reason);
  }
}
