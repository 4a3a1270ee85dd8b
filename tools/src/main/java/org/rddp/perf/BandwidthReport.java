package org.rddp.perf;

import com.google.gson.JsonObject;
import java.util.Locale;

/** Throughput as text, in perftest's columns, and as JSON. */
public final class BandwidthReport {
  private static final double MESSAGES_PER_MILLION = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String COLUMNS = " %-10s %-12s %-17s %-20s %-14s %-13s %s";

  private BandwidthReport() {}

  /** The headings of {@link #line}. */
  public static String heading() {
    return String.format(
        Locale.ROOT,
        COLUMNS,
        "#bytes",
        "#iterations",
        "BW peak[Gb/sec]",
        "BW average[Gb/sec]",
        "MsgRate[Mpps]",
        "daemon[%CPU]",
        "program[%CPU]");
  }

  /** One size in one line. */
  public static String line(BandwidthResult result) {
    return String.format(
        Locale.ROOT,
        COLUMNS,
        result.size(),
        result.iterations(),
        Figures.orNone(result.peakGigabitsPerSecond(), 3),
        Figures.orNone(result.gigabitsPerSecond(), 3),
        Figures.orNone(result.messagesPerSecond() / MESSAGES_PER_MILLION, 6),
        Figures.orNone(result.cpu().daemonPercent(), 0),
        Figures.orNone(result.cpu().programPercent(), 0));
  }

  /** One size as JSON; keys carry the units. */
  public static JsonObject json(BandwidthResult result) {
    JsonObject json = new JsonObject();
    json.addProperty("size_octets", result.size());
    json.addProperty("iterations", result.iterations());
    json.addProperty("messages", result.messages());
    json.addProperty("duration_s", result.nanos() / NANOS_PER_SECOND);
    if (!Double.isNaN(result.peakPerSecond())) {
      json.addProperty("peak_gbit_per_s", result.peakGigabitsPerSecond());
    }
    json.addProperty("average_gbit_per_s", result.gigabitsPerSecond());
    json.addProperty("messages_per_s", result.messagesPerSecond());
    Figures.add(json, result.cpu());
    return json;
  }
}
