package org.rddp.bench.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.rddp.bench.harness.Series;

/** A line chart in a file beside the document. */
public final class Plot {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 480;

  /** Percentile curves end where so few values are left: the rest is chance. */
  private static final double LEFT = 5;

  private static final int POINTS = 120;

  private final String name;
  private final String title;
  private final XYChart chart;

  /** The points of the lines. */
  private final Map<String, List<Double>> xs = new LinkedHashMap<>();

  private final Map<String, List<Double>> ys = new LinkedHashMap<>();

  /**
   * A chart without lines, whose vertical axis is logarithmic.
   *
   * @param name of the file, after the benchmark's, without ending
   */
  public Plot(String name, String title, String horizontal, String vertical) {
    this.name = name;
    this.title = title;
    this.chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(horizontal)
            .yAxisTitle(vertical)
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setChartTitleVisible(true);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
  }

  /** Makes the horizontal axis logarithmic, too. */
  public Plot logarithmic() {
    chart.getStyler().setXAxisLogarithmic(true);
    return this;
  }

  /** Makes the vertical axis linear, from zero. */
  public Plot linear() {
    chart.getStyler().setYAxisLogarithmic(false);
    chart.getStyler().setYAxisMin(0.0);
    return this;
  }

  /**
   * A chart for percentile curves of times, whose horizontal axis counts nines.
   *
   * @param name of the file, after the benchmark's, without ending
   */
  public static Plot ofPercentiles(String name, String title) {
    Plot plot = new Plot(name, title, "percentile", "microseconds");
    plot.chart
        .getStyler()
        .setXAxisTickLabelsFormattingFunction(
            nines -> nines < 0.5 ? "0 %" : percentile(Math.round(nines)));
    plot.chart.getStyler().setXAxisMin(0.0);
    plot.chart.getStyler().setXAxisTickMarkSpacingHint(100);
    return plot;
  }

  /** The percentile of a number of nines: 99 % of two. */
  private static String percentile(long nines) {
    return String.format(
        Locale.ROOT,
        "%." + Math.max(0, nines - 2) + "f %%",
        100 - 100 / Math.pow(10, (double) nines));
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
    double last = Math.log10(Math.max(10, nanoseconds.getTotalCount() / LEFT));
    List<Double> nines = new ArrayList<>();
    List<Double> times = new ArrayList<>();
    for (int i = 0; i <= POINTS; i++) {
      double at = last * i / POINTS;
      nines.add(at);
      times.add(nanoseconds.getValueAtPercentile(100 - 100 / Math.pow(10, at)) / 1000.0);
    }
    chart.addSeries(called, nines, times).setMarker(SeriesMarkers.NONE);
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
    xs.forEach((line, x) -> chart.addSeries(line, x, ys.get(line)).setMarker(SeriesMarkers.CIRCLE));
    if (chart.getSeriesCollection().isEmpty()) {
      return false;
    }
    Files.write(folder.resolve(file(benchmark)), ChartEncoder.getBytes(chart, "png"));
    return true;
  }
}
