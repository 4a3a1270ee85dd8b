package org.rddp.bench.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Series;
import org.rddp.rig.LineChart;

/** A line chart in a file beside the document. */
public final class Plot {
  private final String name;
  private final String title;
  private final LineChart chart;

  /** The points of the lines. */
  private final Map<String, List<Double>> xs = new LinkedHashMap<>();

  private final Map<String, List<Double>> ys = new LinkedHashMap<>();

  /**
   * A chart without lines, whose vertical axis is logarithmic.
   *
   * @param name of the file, after the benchmark's, without ending
   */
  public Plot(String name, String title, String horizontal, String vertical) {
    this(name, title, new LineChart(title, horizontal, vertical));
  }

  private Plot(String name, String title, LineChart chart) {
    this.name = name;
    this.title = title;
    this.chart = chart;
  }

  /** Makes the horizontal axis logarithmic, too. */
  public Plot logarithmic() {
    chart.logarithmic();
    return this;
  }

  /** Makes the vertical axis linear, from zero. */
  public Plot linear() {
    chart.linear();
    return this;
  }

  /**
   * A chart for percentile curves of times, whose horizontal axis counts nines.
   *
   * @param name of the file, after the benchmark's, without ending
   */
  public static Plot ofPercentiles(String name, String title) {
    return new Plot(name, title, LineChart.ofPercentiles(title));
  }

  /** Adds a point to a line: the median of a figure, where there is one. */
  public void point(String line, double horizontal, Optional<Series> figure) {
    figure.ifPresent(series -> {
      if (!xs.containsKey(line)) {
        xs.put(line, new ArrayList<>());
        ys.put(line, new ArrayList<>());
      }
      xs.get(line).add(horizontal);
      ys.get(line).add(series.median());
    });
  }

  /** Adds a percentile curve. */
  public void percentiles(String called, Histogram nanoseconds) {
    chart.percentiles(called, nanoseconds, 1);
  }

  /** A line of Markdown that shows the file. */
  String markdown(String benchmark) {
    return "![" + title + "](benchmarks/" + file(benchmark) + ")\n";
  }

  private String file(String benchmark) {
    return benchmark + "-" + name + ".png";
  }

  /** Writes the file, unless the chart has no lines. Returns whether it has. */
  boolean write(Path folder, String benchmark) throws IOException {
    xs.forEach((line, x) -> chart.line(line, x, ys.get(line)));
    if (chart.isEmpty()) {
      return false;
    }
    chart.write(folder.resolve(file(benchmark)));
    return true;
  }
}
