package org.rddp.perf;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.rddp.rig.LineChart;

/**
 * Writes the results of a measurement into a folder: JSON, percentiles as .hgrm files of
 * HdrHistogram, and a plot. Files of the same names are replaced.
 */
public final class PerfFiles {
  /** The most sizes whose percentile curves fit one chart. */
  private static final int MOST_CURVES = 4;

  /** Steps of a .hgrm file for each halving of the distance to 100 %. */
  private static final int TICKS = 5;

  private static final double NANOS_PER_MICRO = 1000;

  private final Path folder;
  private final String name;
  private final String title;
  private final double divisor;
  private final List<LatencyResult> latencies = new ArrayList<>();
  private final List<BandwidthResult> bandwidths = new ArrayList<>();

  /**
   * Collects results; writes no file yet.
   *
   * @param folder which exists
   */
  public PerfFiles(Path folder, PerfSettings settings) {
    this.folder = folder;
    name = (settings.test() + "-" + settings.verb()).toLowerCase(Locale.ROOT);
    divisor = settings.halves() ? 2 : 1;
    title =
        settings.test() == PerfSettings.Test.LAT
            ? "latency of %s, %s round trips"
                .formatted(settings.verb().title(), settings.halves() ? "half" : "full")
            : "throughput of " + settings.verb().title();
  }

  /** Adds the latencies of a size. */
  public void add(LatencyResult result) {
    latencies.add(result);
  }

  /** Adds the throughput of a size. */
  public void add(BandwidthResult result) {
    bandwidths.add(result);
  }

  /**
   * Writes the files.
   *
   * @param json all results
   * @throws PerfException if this JVM cannot draw; the other files have been written
   */
  public void write(JsonObject json) throws IOException {
    String text = new GsonBuilder().setPrettyPrinting().create().toJson(json);
    Files.writeString(folder.resolve(name + ".json"), text + "\n");
    for (LatencyResult result : latencies) {
      Path file = folder.resolve(name + "-" + result.size() + ".hgrm");
      try (PrintStream out = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
        result.nanoseconds().outputPercentileDistribution(out, TICKS, NANOS_PER_MICRO * divisor);
      }
    }
    try {
      LineChart chart = chart();
      if (!chart.isEmpty()) {
        chart.write(folder.resolve(name + ".png"));
      }
    } catch (LinkageError | InternalError e) {
      // A runtime without the module java.desktop, or a host without fonts.
      throw new PerfException(
          "no plot, since this JVM cannot draw: install fontconfig, a font and libharfbuzz, and a JDK"
              + " that is not reduced ("
              + e
              + ")");
    }
  }

  private LineChart chart() {
    if (!bandwidths.isEmpty()) {
      return throughputBySize();
    }
    return latencies.size() <= MOST_CURVES ? percentileCurves() : latencyBySize();
  }

  private LineChart percentileCurves() {
    LineChart chart = LineChart.ofPercentiles(title);
    for (LatencyResult result : latencies) {
      if (result.nanoseconds().getTotalCount() > 0) {
        chart.percentiles(result.size() + " octets", result.nanoseconds(), divisor);
      }
    }
    return chart;
  }

  private LineChart latencyBySize() {
    LineChart chart = new LineChart(title, "octets", "microseconds").logarithmic();
    line(chart, "50 %", times -> (double) times.getValueAtPercentile(50));
    line(chart, "99 %", times -> (double) times.getValueAtPercentile(99));
    line(chart, "99.9 %", times -> (double) times.getValueAtPercentile(99.9));
    return chart;
  }

  private void line(LineChart chart, String label, ToDoubleFunction<Histogram> value) {
    List<Double> sizes = new ArrayList<>();
    List<Double> micros = new ArrayList<>();
    for (LatencyResult result : latencies) {
      if (result.nanoseconds().getTotalCount() > 0) {
        sizes.add((double) result.size());
        micros.add(value.applyAsDouble(result.nanoseconds()) / NANOS_PER_MICRO / divisor);
      }
    }
    if (!sizes.isEmpty()) {
      chart.line(label, sizes, micros);
    }
  }

  private LineChart throughputBySize() {
    LineChart chart = new LineChart(title, "octets", "Gb/s").logarithmic().linear();
    List<Double> sizes = new ArrayList<>();
    List<Double> gigabits = new ArrayList<>();
    for (BandwidthResult result : bandwidths) {
      sizes.add((double) result.size());
      gigabits.add(result.gigabitsPerSecond());
    }
    chart.line("average", sizes, gigabits);
    return chart;
  }
}
