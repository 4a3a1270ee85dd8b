package org.rddp.simulation;

/** Whether what must always hold has held so far in a life; the first violation counts. */
public final class Violations {
  private String violation;

  /** Nothing was violated yet. */
  public Violations() {}

  /** Something that must hold does not. */
  public void add(String what) {
    if (violation == null) {
      violation = what;
    }
  }

  /** Whether nothing was violated. */
  public boolean isEmpty() {
    return violation == null;
  }

  /** The first violation, or null. */
  public String first() {
    return violation;
  }
}
