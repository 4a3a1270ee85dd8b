package org.rddp.perf;

import com.google.gson.JsonObject;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Latencies as text, in perftest's columns, and as JSON. */
public final class LatencyReport {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String COLUMNS =
      " %-10s %-12s %-12s %-12s %-15s %-12s %-13s %-21s %-23s %-13s %s";

  private final double divisor;

  /** A report of full round trips, or of halves. */
  public LatencyReport(boolean halves) {
    divisor = halves ? 2 : 1;
  }

  /** The headings of {@link #line}. */
  public static String heading() {
    return String.format(
        Locale.ROOT,
        COLUMNS,
        "#bytes",
        "#iterations",
        "t_min[usec]",
        "t_max[usec]",
        "t_typical[usec]",
        "t_avg[usec]",
        "t_stdev[usec]",
        "99% percentile[usec]",
        "99.9% percentile[usec]",
        "daemon[%CPU]",
        "program[%CPU]");
  }

  /** One size in one line. */
  public String line(LatencyResult result) {
    Histogram times = result.nanoseconds();
    return String.format(
        Locale.ROOT,
        COLUMNS,
        result.size(),
        times.getTotalCount(),
        micros(least(times)),
        micros((double) times.getMaxValue()),
        micros(percentile(times, 50)),
        micros(times.getMean()),
        micros(times.getStdDeviation()),
        micros(percentile(times, 99)),
        micros(percentile(times, 99.9)),
        Figures.orNone(result.cpu().daemonPercent(), 0),
        Figures.orNone(result.cpu().programPercent(), 0));
  }

  private String micros(double nanos) {
    return Figures.orNone(nanos / divisor / NANOS_PER_MICRO, 2);
  }

  private static double percentile(Histogram times, double percent) {
    return (double) times.getValueAtPercentile(percent);
  }

  /** The least value of an empty histogram would be the largest number. */
  private static double least(Histogram times) {
    return times.getTotalCount() == 0 ? 0 : (double) times.getMinValue();
  }

  /** One size as JSON; keys carry the units. */
  public JsonObject json(LatencyResult result) {
    Histogram times = result.nanoseconds();
    JsonObject json = new JsonObject();
    json.addProperty("size_octets", result.size());
    json.addProperty("iterations", times.getTotalCount() - result.unsent());
    json.addProperty("due_not_sent", result.unsent());
    json.addProperty("duration_s", result.nanos() / NANOS_PER_SECOND);
    json.addProperty(
        "rate_per_s",
        (times.getTotalCount() - result.unsent()) * NANOS_PER_SECOND / result.nanos());
    json.addProperty("min_ns", least(times) / divisor);
    json.addProperty("mean_ns", times.getMean() / divisor);
    json.addProperty("stdev_ns", times.getStdDeviation() / divisor);
    json.addProperty("p50_ns", times.getValueAtPercentile(50) / divisor);
    json.addProperty("p90_ns", times.getValueAtPercentile(90) / divisor);
    json.addProperty("p99_ns", times.getValueAtPercentile(99) / divisor);
    json.addProperty("p99_9_ns", times.getValueAtPercentile(99.9) / divisor);
    json.addProperty("p99_99_ns", times.getValueAtPercentile(99.99) / divisor);
    json.addProperty("max_ns", times.getMaxValue() / divisor);
    Figures.add(json, result.cpu());
    return json;
  }
}
