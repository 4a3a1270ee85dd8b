package org.rddp.capture;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.rddp.ipc.ring.TraceEvent;

/**
 * Plots a trace over time: the stream positions sent, acknowledged and allowed, in the direction
 * that carried more octets. Not thread-safe.
 */
public final class TimeSequencePlot {
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 700;
  private static final int MARKER = 6;
  private static final double NANOS_PER_MILLI = 1e6;

  /** Limit of points in a series: more take long to draw, and cannot be told apart. */
  private static final int MOST_POINTS = 10_000;

  /** How far above the segments window lines are drawn, as a share of the segments' height. */
  private static final double HEADROOM = 0.3;

  /** Times in milliseconds, and stream positions. */
  private static final class Points {
    final List<Double> times = new ArrayList<>();
    final List<Double> positions = new ArrayList<>();

    void add(double time, long position) {
      if (times.size() < MOST_POINTS) {
        times.add(time);
        positions.add((double) position);
      }
    }

    boolean isFull() {
      return times.size() == MOST_POINTS;
    }

    /** The positions, none above a limit. */
    List<Double> upTo(double limit) {
      return positions.stream().map(position -> Math.min(position, limit)).toList();
    }
  }

  /** One direction of the connection. */
  private static final class Stream {
    final Points segments = new Points();
    final Points again = new Points();
    final Points acknowledged = new Points();
    final Points window = new Points();
    final Points congestionWindow = new Points();
    long octets;
    long lowest = Long.MAX_VALUE;
    long highest;

    void segment(double time, TraceEvent event, boolean retransmission) {
      if (event.detail() > 0) {
        long end = event.number(0) + event.detail();
        (retransmission ? again : segments).add(time, end);
        octets += event.detail();
        lowest = Math.min(lowest, event.number(0));
        highest = Math.max(highest, end);
      }
    }

    void acknowledgment(double time, TraceEvent event) {
      acknowledged.add(time, event.number(1));
      window.add(time, event.number(1) + TraceJson.window(event));
    }

    boolean isFull() {
      return segments.isFull() || again.isFull() || acknowledged.isFull();
    }
  }

  private final Stream sent = new Stream();
  private final Stream received = new Stream();

  /** A plot without points. */
  public TimeSequencePlot() {}

  /**
   * Adds an event.
   *
   * @param timeNanos nanoseconds since the trace began
   */
  public void add(long timeNanos, TraceEvent event) {
    double time = timeNanos / NANOS_PER_MILLI;
    switch (event.kind()) {
      case TraceEvent.SEGMENT_SENT -> {
        sent.segment(time, event, event.number(2) != 0);
        received.acknowledgment(time, event);
      }
      case TraceEvent.SEGMENT_RECEIVED -> {
        received.segment(time, event, event.number(0) < received.highest);
        sent.acknowledgment(time, event);
      }
      case TraceEvent.STATE -> sent.congestionWindow.add(time, event.number(0) + event.number(2));
      default -> {
        // Not plotted.
      }
    }
  }

  /** Whether no segment had data: then there is nothing to plot. */
  public boolean isEmpty() {
    return sent.octets + received.octets == 0;
  }

  /**
   * Whether the plot has reached its limit of points, and shows only the beginning of the trace.
   */
  public boolean isFull() {
    return chosen().isFull();
  }

  private Stream chosen() {
    return sent.octets >= received.octets ? sent : received;
  }

  /**
   * Writes the plot, which is not empty, as a PNG.
   *
   * @param connection the connection, for the title
   */
  public void write(String connection, Path file) throws IOException {
    Stream stream = chosen();
    boolean outgoing = stream == sent;
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title((outgoing ? "sent by " : "received by ") + connection)
            .xAxisTitle("milliseconds")
            .yAxisTitle("octets of the stream")
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.InsideNW);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setMarkerSize(MARKER);
    chart.getStyler().setYAxisDecimalPattern("#,##0");
    double top = stream.highest + HEADROOM * (stream.highest - stream.lowest);
    line(chart, "allowed by the peer's window", stream.window, top, Color.LIGHT_GRAY);
    if (outgoing) {
      line(chart, "allowed by the congestion window", stream.congestionWindow, top, Color.ORANGE);
    }
    line(chart, "acknowledged", stream.acknowledged, top, Color.GREEN.darker());
    points(chart, "segment", stream.segments, Color.BLUE, SeriesMarkers.CIRCLE);
    points(
        chart,
        outgoing ? "segment, again" : "segment behind a later one",
        stream.again,
        Color.RED,
        SeriesMarkers.DIAMOND);
    Files.write(file, ChartEncoder.getBytes(chart, "png"));
  }

  private static void line(XYChart chart, String name, Points points, double top, Color colour) {
    if (!points.times.isEmpty()) {
      XYSeries series = chart.addSeries(name, points.times, points.upTo(top));
      series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Step);
      series.setMarker(SeriesMarkers.NONE).setLineColor(colour).setLineStyle(SeriesLines.SOLID);
    }
  }

  private static void points(
      XYChart chart, String name, Points points, Color colour, Marker marker) {
    if (!points.times.isEmpty()) {
      XYSeries series = chart.addSeries(name, points.times, points.positions);
      series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
      series.setMarker(marker).setMarkerColor(colour);
    }
  }
}
