package org.rddp.bench.harness;

import java.io.PrintStream;
import java.util.Locale;

/** Logs each step of a benchmark with the time used so far and the time allowed. */
public final class Progress {
  private final PrintStream out;
  private final Budget whole;
  private final Budget budget;

  /** Logs to a stream. */
  public Progress(PrintStream out, Budget budget) {
    this(out, budget, budget);
  }

  private Progress(PrintStream out, Budget whole, Budget budget) {
    this.out = out;
    this.whole = whole;
    this.budget = budget;
  }

  /** The time of the benchmark, or of this part of it. */
  public Budget budget() {
    return budget;
  }

  /** Progress of work that may take a share of the time that is left, 0 to 1. */
  public Progress part(double share) {
    return new Progress(out, whole, budget.part(share));
  }

  /** Logs a step that begins. */
  public void log(String step) {
    double spent = whole.spentNanos() / 1e9;
    out.printf(Locale.ROOT, "[%3.0f of %.0f s] %s%n", spent, whole.wholeNanos() / 1e9, step);
    out.flush();
  }
}
