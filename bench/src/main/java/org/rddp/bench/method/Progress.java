package org.rddp.bench.method;

import java.io.PrintStream;
import java.util.Locale;

/** Says on standard error how far a benchmark has come: a line for each step, with the time. */
public final class Progress {
  private final PrintStream out;
  private final long began = System.nanoTime();

  /** On this stream. */
  public Progress(PrintStream out) {
    this.out = out;
  }

  /** What begins now. */
  public void say(String step) {
    out.printf(Locale.ROOT, "[%4.0f s] %s%n", (System.nanoTime() - began) / 1e9, step);
    out.flush();
  }
}
