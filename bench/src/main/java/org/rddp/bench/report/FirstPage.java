package org.rddp.bench.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.CategoryStyler;
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
  private static final String LINUX_ROUND_TRIPS =
      "### Round trips of 64 octets between two daemons";
  private static final String LINUX_GOODPUT = "### Goodput between two daemons";
  private static final String LINUX = "rddp, two daemons, linux:";
  private static final List<String> CONTENDERS =
      List.of("rddp", "kernel TCP", "the same device without any protocol");

  /** A row: what was measured, and the cell of each contender that has one, in their order. */
  private record Row(String layout, String what, boolean isTime, List<Cell> cells) {
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

  /**
   * A cell of the document.
   *
   * @param task what was measured, as the line of conditions names it
   */
  private record Cell(String benchmark, String table, String task, String row, String column) {
    /** The median with its unit, "-" where the document lacks it or the run was disturbed. */
    String median(Path document) throws IOException {
      List<String> head = List.of();
      boolean inTable = false;
      String found = NONE;
      for (String line : NamedBenchmark.section(benchmark).lines(document)) {
        if (line.startsWith("### ")) {
          inTable = line.equals(table);
        } else if (inTable && line.startsWith("| ")) {
          List<String> cells = GoalSummary.cells(line);
          if (head.isEmpty()) {
            head = cells;
          } else if (cells.getFirst().equals(row)) {
            found = cells.get(head.indexOf(column)).replaceAll(" \\([^)]*\\)", "");
          }
        } else if (inTable && isDisturbed(line)) {
          found = NONE;
        }
      }
      return found;
    }

    private boolean isDisturbed(String line) {
      int from = line.indexOf(Interference.DISTURBED);
      if (from < 0) {
        return false;
      }
      String tasks = line.substring(from + Interference.DISTURBED.length()).split("\\.", 2)[0];
      return List.of(tasks.strip().split("; ", -1)).stream()
          .anyMatch(each -> each.equals(task) || each.equals(Interference.ALL));
    }
  }

  private static final String NONE = "-";
  private static final String ONE_ENGINE = "one engine for both ends, rings";
  private static final String TWO_DAEMONS = "two daemons, `linux:` on veth";
  private static final Pattern NUMBER = Pattern.compile("([0-9.,]+) ?([kMG]?)");
  private static final Map<String, Double> PREFIXES = Map.of("k", 1e3, "M", 1e6, "G", 1e9);

  private static final List<Row> ROWS =
      List.of(
          new Row(
              ONE_ENGINE,
              "round trip of 64 octets, us",
              true,
              List.of(
                  new Cell("rtt", ROUND_TRIPS, "64 octets", "rddp", "p50"),
                  new Cell("rtt", ROUND_TRIPS, "64 octets", "kernel TCP, busy-polling", "p50"),
                  new Cell("rtt", ROUND_TRIPS, "64 octets", "floor: rings and frames", "p50"))),
          new Row(
              ONE_ENGINE, "writes of 64 octets", false, List.of(rate("rddp"), rate("kernel TCP"))),
          new Row(
              ONE_ENGINE,
              "the same, packed by 64",
              false,
              List.of(rate("rddp, packing"), rate("kernel TCP, 64 messages a write()"))),
          goodput("64 KiB", "1500"),
          goodput("1 MiB", "1500"),
          goodput("1 MiB", "9000"),
          new Row(
              TWO_DAEMONS,
              "round trip of 64 octets, us",
              true,
              List.of(
                  linux(LINUX_ROUND_TRIPS, "64 octets", LINUX, "p50"),
                  linux(LINUX_ROUND_TRIPS, "64 octets", "kernel TCP, busy-polling", "p50"))),
          linuxGoodput("64 KiB"),
          linuxGoodput("1 MiB"));

  /** The place of kernel TCP among the contenders. */
  private static final int KERNEL = 1;

  private static final int WIDTH = 1060;
  private static final int HEIGHT = 430;

  private FirstPage() {}

  /** The number at the beginning of a figure, with its unit's prefix; NaN where there is none. */
  private static double number(String figure) {
    Matcher found = NUMBER.matcher(figure);
    return found.lookingAt()
        ? Double.parseDouble(found.group(1).replace(",", ""))
            * PREFIXES.getOrDefault(found.group(2), 1.0)
        : Double.NaN;
  }

  private static Cell rate(String contender) {
    return new Cell(
        "rate", RATE, "64 octets, 64 outstanding", "64 octets, 64 outstanding", contender);
  }

  private static Row goodput(String size, String mtu) {
    String at = "MTU " + mtu;
    return new Row(
        ONE_ENGINE,
        size + ", " + at,
        false,
        Stream.of("rddp", "kernel TCP", "copy + CRC + device")
            .map(each -> new Cell("goodput", GOODPUT, at + ", " + size, each + ", " + at, size))
            .toList());
  }

  private static Cell linux(String table, String task, String contender, String column) {
    return new Cell("linux", table, task, contender, column);
  }

  private static Row linuxGoodput(String size) {
    return new Row(
        TWO_DAEMONS,
        size + ", MTU 1500",
        false,
        List.of(
            linux(LINUX_GOODPUT, size, LINUX, size),
            linux(LINUX_GOODPUT, size, "kernel TCP", size)));
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
    StringBuilder text = new StringBuilder("| On one machine with two cores | ");
    CONTENDERS.forEach(name -> text.append(" | ").append(name));
    text.append(" |\n|").append("---|".repeat(2 + CONTENDERS.size())).append('\n');
    List<List<Double>> dots = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (Row row : ROWS) {
      List<String> figures = new ArrayList<>();
      for (Cell cell : row.cells) {
        figures.add(cell.median(document));
      }
      text.append("| ").append(row.layout).append(" | ").append(row.what);
      for (int i = 0; i < CONTENDERS.size(); i++) {
        String figure = i < figures.size() ? figures.get(i) : "";
        text.append(" | ").append(figure);
        dots.get(i).add(row.times(figure, figures.get(KERNEL)));
      }
      text.append(" |\n");
    }
    Path chart = folder.resolve("benchmarks").resolve(CHART);
    Files.createDirectories(chart.getParent());
    Files.write(chart, ChartEncoder.getBytes(chart(dots), "png"));
    text.append("\n![How many times as quick as kernel TCP](")
        .append(folder.getParent().relativize(chart))
        .append(")\n\n");
    SECTION.replace(readme, text.toString());
  }

  /**
   * Dots, at heights of powers of 2: a dot has no length that would depend on where the axis
   * begins.
   */
  private static CategoryChart chart(List<List<Double>> dots) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("How many times as quick as kernel TCP")
            .yAxisTitle("times kernel TCP")
            .build();
    CategoryStyler styler = chart.getStyler();
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setLegendPosition(LegendPosition.OutsideS);
    styler.setLegendLayout(LegendLayout.Horizontal);
    styler.setAxisTickLabelsFont(styler.getAxisTickLabelsFont().deriveFont(10f));
    styler.setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
    styler.setMarkerSize(11);
    styler.setYAxisMin(exponent(dots, Math::min, Math::floor));
    styler.setYAxisMax(exponent(dots, Math::max, Math::ceil));
    styler.setYAxisTickMarkSpacingHint(30);
    styler.setYAxisTickLabelsFormattingFunction(FirstPage::powerOfTwo);
    styler.setOverlapped(true);
    styler.setXAxisLabelRotation(12);
    List<Integer> shown =
        IntStream.range(0, ROWS.size())
            .filter(row -> dots.get(KERNEL).get(row) != null)
            .boxed()
            .toList();
    for (int i = 0; i < CONTENDERS.size() && !shown.isEmpty(); i++) {
      List<Double> all = dots.get(i);
      List<Double> heights = new ArrayList<>();
      shown.forEach(row -> heights.add(all.get(row) == null ? null : log2(all.get(row))));
      chart.addSeries(CONTENDERS.get(i), shown.stream().map(FirstPage::label).toList(), heights);
    }
    return chart;
  }

  private static String label(int index) {
    Row row = ROWS.get(index);
    return row.layout.equals(TWO_DAEMONS) ? row.what + ", two daemons" : row.what;
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  /** The least or greatest exponent, rounded. */
  private static double exponent(
      List<List<Double>> dots, DoubleBinaryOperator end, DoubleUnaryOperator rounded) {
    return rounded.applyAsDouble(
        dots.stream()
            .flatMap(List::stream)
            .filter(Objects::nonNull)
            .mapToDouble(FirstPage::log2)
            .reduce(0, end));
  }

  /** "1/4" for -2, "8" for 3; no label between whole exponents. */
  private static String powerOfTwo(double exponent) {
    long whole = Math.round(exponent);
    if (Math.abs(exponent - whole) > 0.01) {
      return "";
    }
    return whole < 0 ? "1/" + (1L << -whole) : Long.toString(1L << whole);
  }
}
