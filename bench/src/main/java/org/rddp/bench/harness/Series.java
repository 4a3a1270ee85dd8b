package org.rddp.bench.harness;

import java.util.Arrays;
import java.util.Locale;

/**
 * A figure over the rounds, in their order.
 *
 * @param values one for each round, one at least
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares series or looks them up.
public record Series(double[] values) {
  /** A copy of the values. */
  public Series {
    if (values.length == 0) {
      throw new IllegalArgumentException("no rounds");
    }
    values = values.clone();
  }

  /** A figure that was found once. */
  public static Series of(double... values) {
    return new Series(values);
  }

  @Override
  public double[] values() {
    return values.clone();
  }

  /** Half of the rounds are no higher. */
  public double median() {
    return quantile(0.5);
  }

  /** Between the two neighbours, where the place falls between rounds. */
  public double quantile(double share) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  /** The least. */
  public double least() {
    return quantile(0);
  }

  /** The greatest. */
  public double greatest() {
    return quantile(1);
  }

  /** This over another, round by round: what disturbs a round disturbs both alike. */
  public Series over(Series other) {
    return combine(other, (mine, theirs) -> mine / theirs);
  }

  /** This and another added, round by round. */
  public Series plus(Series other) {
    return combine(other, Double::sum);
  }

  private Series combine(Series other, java.util.function.DoubleBinaryOperator how) {
    double[] all = new double[Math.min(values.length, other.values.length)];
    Arrays.setAll(all, round -> how.applyAsDouble(values[round], other.values[round]));
    return new Series(all);
  }

  /** In another unit. */
  public Series times(double factor) {
    return new Series(Arrays.stream(values).map(value -> value * factor).toArray());
  }

  /** The median, and the quartiles in brackets. */
  @Override
  public String toString() {
    return values.length == 1
        ? number(values[0])
        : number(median()) + " (" + number(quantile(0.25)) + "-" + number(quantile(0.75)) + ")";
  }

  /** Three digits that count, or all before the point. */
  public static String number(double value) {
    double size = Math.abs(value);
    String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.3g";
    return size == 0 ? "0" : String.format(Locale.ROOT, format, value);
  }
}
