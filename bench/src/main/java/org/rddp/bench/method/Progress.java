package org.rddp.bench.method;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Says on standard error how far a benchmark has come: a line for each step, with the time that has
 * gone and the time that is left of its budget.
 */
public final class Progress {
  private static final double LIMITED = 12 * 3600;

  private final PrintStream out;
  private final Budget budget;

  /** On this stream, without a budget. */
  public Progress(PrintStream out) {
    this(out, Budget.unlimited());
  }

  /** On this stream. */
  public Progress(PrintStream out, Budget budget) {
    this.out = out;
    this.budget = budget;
  }

  /** What the benchmark may take. */
  public Budget budget() {
    return budget;
  }

  /** The same for work that may take a part of what is left, 0 to 1. */
  public Progress part(double share) {
    return new Progress(out, budget.part(share));
  }

  /** What begins now. */
  public void say(String step) {
    double left = budget.leftNanos() / 1e9;
    String limit = left > LIMITED ? "" : String.format(Locale.ROOT, ", at most %3.0f s left", left);
    out.printf(Locale.ROOT, "[%4.0f s%s] %s%n", budget.spentNanos() / 1e9, limit, step);
    out.flush();
  }
}
