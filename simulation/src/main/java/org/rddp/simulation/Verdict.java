package org.rddp.simulation;

/** Whether what must always hold has held so far in a life; the first violation counts. */
public final class Verdict {
  private String violation;

  /** Nothing was violated yet. */
  public Verdict() {}

  /** Something that must hold does not. */
  public void violated(String what) {
    if (violation == null) {
      violation = what;
    }
  }

  /** Whether nothing was violated. */
  public boolean holds() {
    return violation == null;
  }

  /** The first violation, or null. */
  public String violation() {
    return violation;
  }
}
