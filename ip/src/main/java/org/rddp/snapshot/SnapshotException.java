package org.rddp.snapshot;

/** A snapshot cannot be read: it is of another format, damaged, or contradicts itself. */
public final class SnapshotException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception with a text for the operator: what is wrong, and where. */
  public SnapshotException(String message) {
    super(message);
  }
}
