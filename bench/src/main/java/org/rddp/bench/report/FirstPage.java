package org.rddp.bench.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * The figures on the README's first page and their chart, taken from the tables of the document of
 * all benchmarks: medians of the latest run of each.
 */
final class FirstPage {
  private static final GeneratedSection SECTION = new GeneratedSection("bench");
  private static final String CHART = "first-page.png";
  private static final String ROUND_TRIPS = "### 64 octets to and fro";
  private static final String RATE = "### Messages a second";
  private static final String GOODPUT = "### Goodput by message size";
  private static final List<String> CONTENDERS =
      List.of("rddp", "kernel TCP", "the same device without any protocol");

  /** A row: what was measured, and the cell of each contender that has one, in their order. */
  private record Row(String what, boolean isTime, List<Cell> cells) {
    /** How many times as quick as the peer; null where there is no figure. */
    Double times(String figure, String peer) {
      double own = number(figure);
      double other = number(peer);
      if (Double.isNaN(own) || Double.isNaN(other)) {
        return null;
      }
      return isTime ? other / own : own / other;
    }
  }

  /** A cell of the document, by the benchmark, its table's heading, the row's and the column's. */
  private record Cell(String benchmark, String table, String row, String column) {
    /** The median with its unit, "-" where the document lacks it. */
    String median(Path document) throws IOException {
      List<String> head = List.of();
      boolean inTable = false;
      for (String line : NamedBenchmark.section(benchmark).lines(document)) {
        if (line.startsWith("### ")) {
          inTable = line.equals(table);
        } else if (inTable && line.startsWith("| ")) {
          List<String> cells = GoalSummary.cells(line);
          if (head.isEmpty()) {
            head = cells;
          } else if (cells.getFirst().equals(row)) {
            return cells.get(head.indexOf(column)).replaceAll(" \\([^)]*\\)", "");
          }
        }
      }
      return "-";
    }
  }

  private static final Pattern NUMBER = Pattern.compile("([0-9.,]+) ?([kMG]?)");
  private static final Map<String, Double> PREFIXES = Map.of("k", 1e3, "M", 1e6, "G", 1e9);

  private static final List<Row> ROWS =
      List.of(
          new Row(
              "round trip of 64 octets, us",
              true,
              List.of(
                  new Cell("rtt", ROUND_TRIPS, "rddp", "p50"),
                  new Cell("rtt", ROUND_TRIPS, "kernel TCP, busy-polling", "p50"),
                  new Cell("rtt", ROUND_TRIPS, "floor: rings and frames", "p50"))),
          new Row(
              "writes of 64 octets",
              false,
              List.of(
                  new Cell("rate", RATE, "64 octets, 64 outstanding", "rddp"),
                  new Cell("rate", RATE, "64 octets, 64 outstanding", "kernel TCP"))),
          new Row(
              "the same, packed by 64",
              false,
              List.of(
                  new Cell("rate", RATE, "64 octets, 64 outstanding", "rddp, packing"),
                  new Cell(
                      "rate",
                      RATE,
                      "64 octets, 64 outstanding",
                      "kernel TCP, 64 messages a write()"))),
          goodput("64 KiB", "1500"),
          goodput("1 MiB", "1500"),
          goodput("1 MiB", "9000"));

  /** The place of kernel TCP among the contenders. */
  private static final int KERNEL = 1;

  private static final int WIDTH = 1060;
  private static final int HEIGHT = 360;

  /** The lower end of the vertical axis. */
  private static final double LEAST = 0.1;

  private FirstPage() {}

  /** The number at the beginning of a figure, with its unit's prefix; NaN where there is none. */
  private static double number(String figure) {
    Matcher found = NUMBER.matcher(figure);
    return found.lookingAt()
        ? Double.parseDouble(found.group(1).replace(",", ""))
            * PREFIXES.getOrDefault(found.group(2), 1.0)
        : Double.NaN;
  }

  private static Row goodput(String size, String mtu) {
    return new Row(
        size + ", MTU " + mtu,
        false,
        List.of(
            new Cell("goodput", GOODPUT, "rddp, MTU " + mtu, size),
            new Cell("goodput", GOODPUT, "kernel TCP, MTU " + mtu, size),
            new Cell("goodput", GOODPUT, "copy + CRC + device, MTU " + mtu, size)));
  }

  /**
   * Puts table and chart into the README beside the document's folder, if it has a place for them.
   *
   * @param document of all benchmarks; a figure that it lacks is "-"
   * @throws IOException when a file cannot be read or written
   */
  static void write(Path document) throws IOException {
    Path folder = document.toAbsolutePath().getParent();
    Path readme = folder.resolveSibling("README.md");
    if (!Files.exists(readme) || SECTION.lines(readme).isEmpty()) {
      return;
    }
    StringBuilder text = new StringBuilder("| On one machine with two cores");
    CONTENDERS.forEach(name -> text.append(" | ").append(name));
    text.append(" |\n|").append("---|".repeat(1 + CONTENDERS.size())).append('\n');
    List<List<Double>> bars = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (Row row : ROWS) {
      List<String> figures = new ArrayList<>();
      for (Cell cell : row.cells) {
        figures.add(cell.median(document));
      }
      text.append("| ").append(row.what);
      for (int i = 0; i < CONTENDERS.size(); i++) {
        String figure = i < figures.size() ? figures.get(i) : "";
        text.append(" | ").append(figure);
        bars.get(i).add(row.times(figure, figures.get(KERNEL)));
      }
      text.append(" |\n");
    }
    Path chart = folder.resolve("benchmarks").resolve(CHART);
    Files.createDirectories(chart.getParent());
    Files.write(chart, ChartEncoder.getBytes(chart(bars), "png"));
    text.append("\n![How many times as quick as kernel TCP](")
        .append(folder.getParent().relativize(chart))
        .append(")\n\n");
    SECTION.replace(readme, text.toString());
  }

  private static CategoryChart chart(List<List<Double>> bars) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("How many times as quick as kernel TCP")
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(LegendLayout.Horizontal);
    chart
        .getStyler()
        .setAxisTickLabelsFont(chart.getStyler().getAxisTickLabelsFont().deriveFont(11f));
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(LEAST);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setYAxisDecimalPattern("#.##");
    List<String> what = ROWS.stream().map(Row::what).toList();
    for (int i = 0; i < CONTENDERS.size(); i++) {
      chart.addSeries(CONTENDERS.get(i), what, bars.get(i));
    }
    return chart;
  }
}
