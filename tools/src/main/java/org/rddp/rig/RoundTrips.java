package org.rddp.rig;

import com.google.gson.JsonObject;
import org.HdrHistogram.Histogram;

/**
 * Statistics of round trips, in nanoseconds.
 *
 * @param p50 median
 * @param p99 99th percentile
 * @param p999 percentile 99.9
 * @param max longest
 * @param count of round trips
 * @param device that they crossed, for example {@code veth}
 */
public record RoundTrips(long p50, long p99, long p999, long max, long count, String device) {
  /** Reads the figures from a histogram of nanoseconds. */
  public static RoundTrips of(Histogram nanoseconds, String device) {
    return new RoundTrips(
        nanoseconds.getValueAtPercentile(50),
        nanoseconds.getValueAtPercentile(99),
        nanoseconds.getValueAtPercentile(99.9),
        nanoseconds.getMaxValue(),
        nanoseconds.getTotalCount(),
        device);
  }

  /** A histogram for round trips of up to ten seconds, with three significant digits. */
  public static Histogram histogram() {
    return new Histogram(10_000_000_000L, 3);
  }

  /** The figures as JSON: p50, p99, p999, max, count, device. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("p50", p50);
    json.addProperty("p99", p99);
    json.addProperty("p999", p999);
    json.addProperty("max", max);
    json.addProperty("count", count);
    json.addProperty("device", device);
    return json;
  }
}
