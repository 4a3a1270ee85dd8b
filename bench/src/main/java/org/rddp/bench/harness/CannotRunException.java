package org.rddp.bench.harness;

/** A rig cannot run here, or cannot do this task. The message says why, in a few words. */
public final class CannotRunException extends Exception {
  private static final long serialVersionUID = 1;

  /** For this reason, for a person to read in a table. */
  public CannotRunException(String reason) {
    super(reason);
  }
}
