package org.rddp.bench.harness;

import java.util.Arrays;
import java.util.Locale;

/**
 * A figure's values in all rounds, in their order.
 *
 * @param values one for each round, one at least
 */
@SuppressWarnings("ArrayRecordComponent") // Series are never compared.
public record Series(double[] values) {
  /** Copies the values. */
  public Series {
    if (values.length == 0) {
      throw new IllegalArgumentException("no rounds");
    }
    values = values.clone();
  }

  /** A series of these values. */
  public static Series of(double... values) {
    return new Series(values);
  }

  @Override
  public double[] values() {
    return values.clone();
  }

  /** The median. */
  public double median() {
    return quantile(0.5);
  }

  /** A quantile, interpolated between its two neighbours; {@code share} is 0 to 1. */
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

  /** This divided by another, round by round, since a disturbance affects a whole round. */
  public Series over(Series other) {
    return combine(other, (mine, theirs) -> mine / theirs);
  }

  /** This minus another, round by round. */
  public Series less(Series other) {
    return combine(other, (mine, theirs) -> mine - theirs);
  }

  /** The sum of this and another, round by round. */
  public Series plus(Series other) {
    return combine(other, Double::sum);
  }

  private Series combine(Series other, java.util.function.DoubleBinaryOperator how) {
    double[] all = new double[Math.min(values.length, other.values.length)];
    Arrays.setAll(all, round -> how.applyAsDouble(values[round], other.values[round]));
    return new Series(all);
  }

  /** The values times a factor, for another unit. */
  public Series times(double factor) {
    return new Series(Arrays.stream(values).map(value -> value * factor).toArray());
  }

  /** The median with the quartiles in brackets. */
  @Override
  public String toString() {
    return values.length == 1
        ? number(values[0])
        : number(median()) + " (" + number(quantile(0.25)) + "-" + number(quantile(0.75)) + ")";
  }

  /** A number with three significant digits, or all digits before the point. */
  public static String number(double value) {
    double size = Math.abs(value);
    String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.3g";
    return size == 0 ? "0" : String.format(Locale.ROOT, format, value);
  }
}
