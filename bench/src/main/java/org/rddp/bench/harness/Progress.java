package org.rddp.bench.harness;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Says on standard error how far a benchmark has come: a line for each step, with the time that has
 * gone, and that which it was given; it may take some more.
 */
public final class Progress {
  private static final double LIMITED = 12 * 3600;

  private final PrintStream out;
  private final Budget whole;
  private final Budget budget;

  /** On this stream, without a budget. */
  public Progress(PrintStream out) {
    this(out, Budget.unlimited());
  }

  /** On this stream. */
  public Progress(PrintStream out, Budget budget) {
    this(out, budget, budget);
  }

  private Progress(PrintStream out, Budget whole, Budget budget) {
    this.out = out;
    this.whole = whole;
    this.budget = budget;
  }

  /** What the benchmark, or this part of it, may take. */
  public Budget budget() {
    return budget;
  }

  /** The same for work that may take a part of what is left, 0 to 1. */
  public Progress part(double share) {
    return new Progress(out, whole, budget.part(share));
  }

  /** What begins now. */
  public void log(String step) {
    double given = whole.wholeNanos() / 1e9;
    String of = given > LIMITED ? "" : String.format(Locale.ROOT, " of %.0f", given);
    out.printf(Locale.ROOT, "[%3.0f%s s] %s%n", whole.spentNanos() / 1e9, of, step);
    out.flush();
  }
}
