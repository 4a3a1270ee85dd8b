package org.rddp.rig;

import java.awt.Color;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A line chart as a PNG. */
public final class LineChart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 480;

  /** Percentile curves end where this few values are left: the rest is chance. */
  private static final double LEFT = 5;

  private static final int POINTS = 120;
  private static final double NANOS_PER_MICRO = 1000;

  private final XYChart chart;

  /** A chart without lines, whose vertical axis is logarithmic. */
  public LineChart(String title, String horizontal, String vertical) {
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

  /** A chart for percentile curves of times in microseconds, whose horizontal axis counts nines. */
  public static LineChart ofPercentiles(String title) {
    LineChart made = new LineChart(title, "percentile", "microseconds");
    made.chart.getStyler().setXAxisTickLabelsFormattingFunction(LineChart::percentile);
    made.chart.getStyler().setXAxisMin(0.0);
    made.chart.getStyler().setXAxisTickMarkSpacingHint(100);
    return made;
  }

  /** Formats the percentile with this many nines, such as 99 % for two; never rounds it to 100. */
  private static String percentile(double nines) {
    BigDecimal percent =
        BigDecimal.valueOf(100 - 100 / Math.pow(10, nines))
            .setScale(Math.max(1, (int) nines), RoundingMode.HALF_UP)
            .stripTrailingZeros();
    return percent.toPlainString() + " %";
  }

  /** Makes the horizontal axis logarithmic, too. */
  public LineChart logarithmic() {
    chart.getStyler().setXAxisLogarithmic(true);
    return this;
  }

  /** Makes the vertical axis linear, from zero. */
  public LineChart linear() {
    chart.getStyler().setYAxisLogarithmic(false);
    chart.getStyler().setYAxisMin(0.0);
    return this;
  }

  /** Adds a line through points. */
  public void line(String name, List<Double> xs, List<Double> ys) {
    chart.addSeries(name, xs, ys).setMarker(SeriesMarkers.CIRCLE);
  }

  /**
   * Adds a percentile curve.
   *
   * @param divisor of the times: 2 for half round trips
   */
  public void percentiles(String name, Histogram nanoseconds, double divisor) {
    double last = Math.log10(Math.max(10, nanoseconds.getTotalCount() / LEFT));
    List<Double> nines = new ArrayList<>();
    List<Double> times = new ArrayList<>();
    for (int i = 0; i <= POINTS; i++) {
      double at = last * i / POINTS;
      nines.add(at);
      times.add(
          nanoseconds.getValueAtPercentile(100 - 100 / Math.pow(10, at))
              / NANOS_PER_MICRO
              / divisor);
    }
    chart.addSeries(name, nines, times).setMarker(SeriesMarkers.NONE);
  }

  /** Whether it has no lines. */
  public boolean isEmpty() {
    return chart.getSeriesCollection().isEmpty();
  }

  /** Writes the chart, which must have a line, to a file. */
  public void write(Path file) throws IOException {
    Files.write(file, ChartEncoder.getBytes(chart, "png"));
  }
}
