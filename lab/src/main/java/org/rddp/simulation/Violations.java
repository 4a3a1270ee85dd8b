package org.rddp.simulation;

/** The rules that were violated in a run. The first violation is reported. */
public final class Violations {
  private String violation;

  /** No violation. */
  public Violations() {}

  /** A rule was violated. */
  public void add(String what) {
    if (violation == null) {
      violation = what;
    }
  }

  /** Whether no rule was violated. */
  public boolean isEmpty() {
    return violation == null;
  }

  /** The first violation, or null. */
  public String first() {
    return violation;
  }
}
