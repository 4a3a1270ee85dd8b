package org.rddp.bench.report;

import java.util.Optional;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Series;

/**
 * A figure with its unit, shown with a fitting prefix, such as {@code 4.24 (4.1-4.4) k/s}.
 *
 * @param series in the unit without a prefix
 * @param unit such as {@code b/s}
 */
public record Quantity(Series series, String unit) {
  private static final String[] PREFIXES = {"n", "µ", "m", "", "k", "M", "G", "T"};
  private static final int NONE = 3;
  private static final double STEP = 1000;

  /** A contender's figure for a table's cell, or the reason why there is none. */
  public static Object cell(ContenderResult outcome, String figure, double factor, String unit) {
    Optional<Series> series = outcome.figure(figure);
    return series.isPresent() ? new Quantity(series.get().times(factor), unit) : outcome.reason();
  }

  @Override
  public String toString() {
    double size = Math.abs(series.median());
    int prefix = NONE;
    double factor = 1;
    while (size * factor >= STEP && prefix < PREFIXES.length - 1) {
      factor /= STEP;
      prefix++;
    }
    while (size > 0 && size * factor < 1 && prefix > 0) {
      factor *= STEP;
      prefix--;
    }
    String number = series.times(factor).toString();
    String words = PREFIXES[prefix] + unit;
    return words.isEmpty() ? number : number + " " + words;
  }
}
