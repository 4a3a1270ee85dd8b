package org.rddp.bench.rates;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Series;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.Quantity;
import org.rddp.bench.report.ReportTable;

/** Tables of goodput by contender and message size: absolute, beside kernel TCP, CPU time. */
final class GoodputTables {
  private static final double GIGA = 1e9;
  private static final String[] MTUS = {"MTU 1500", "MTU 9000"};

  private final Map<String, Map<Integer, ComparisonResult>> found = new LinkedHashMap<>();
  private final BenchmarkReport report;
  private final int[] sizes;
  private final ReportTable goodput;
  private final ReportTable beside;
  private final ReportTable cost;
  private final ReportTable ceiling;
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  GoodputTables(BenchmarkReport report, int[] sizes) {
    this.report = report;
    this.sizes = sizes.clone();
    goodput =
        report.add(
            new ReportTable(
                "goodput",
                "Goodput by message size",
                "Payload, medians of rounds." + TwoDaemons.ON_TWO_CORES));
    beside =
        report.add(
            new ReportTable(
                "beside_kernel",
                "Beside kernel TCP",
                "Goodput, this / kernel TCP with offloads on at the same MTU: more than 1 where the"
                    + " contender carries more."));
    cost =
        report.add(
            new ReportTable(
                "cpu_per_octet",
                "CPU time per octet",
                "Of all threads of both ends, in ns for 1024 octets. rddp's two threads poll: what"
                    + " they do not use of their cores is counted, too."));
    ceiling =
        report.add(
            new ReportTable(
                    "ceiling",
                    "What copy + CRC + device is made of",
                    "ns for the payload of one full frame, one core.")
                .column("what", "")
                .column("send_ns", "copy with CRC, sending")
                .column("device_ns", "device")
                .column("crc_ns", "CRC, receiving")
                .column("place_ns", "copy, receiving"));
    for (ReportTable each : List.of(goodput, beside, cost)) {
      each.column("entrant", "");
      for (int octets : sizes) {
        each.column("octets_" + octets, StreamTasks.size(octets));
      }
    }
    for (String mtu : MTUS) {
      String name = "by-size-" + mtu.replaceAll("\\D", "");
      String title = "Goodput by message size, " + mtu;
      Plot plot = report.add(new Plot(name, title, "octets of a message", "Gb/s"));
      plots.put(mtu, plot.logarithmic().linear());
    }
  }

  void add(int octets, ComparisonResult outcomes) {
    report.conditions(goodput, outcomes.title(), outcomes.conditions());
    outcomes
        .all()
        .keySet()
        .forEach(
            name -> found.computeIfAbsent(name, _ -> new LinkedHashMap<>()).put(octets, outcomes));
  }

  /** Adds a goal: the goodput of one contender over another's, with writes of so many octets. */
  void goal(double least, String name, String what, int octets, String over, String under) {
    ComparisonResult outcomes = found.getOrDefault(over, Map.of()).get(octets);
    report.add(
        outcomes == null
            ? Goal.atLeast(least, name, what, Optional.empty())
            : Goal.atLeast(least, name, what, outcomes.ratio(over, under, "gbps"))
                .measuredIn(outcomes, over, under));
  }

  void fill() {
    found.forEach((name, bySize) -> {
      goodput.add(
          row(name, bySize, (_, each) -> Quantity.cell(each.of(name), "gbps", GIGA, "b/s")));
      beside.add(
          row(name, bySize, (_, each) -> each.ratio(name, "kernel TCP, " + mtu(name), "gbps")));
      cost.add(
          row(name, bySize, (octets, each) -> perKibibyte(each.figure(name, "cpu_ns"), octets)));
      addCeiling(name, bySize);
      Plot plot = plots.get(mtu(name));
      bySize.forEach((size, outcomes) -> plot.point(name, size, outcomes.figure(name, "gbps")));
    });
  }

  private void addCeiling(String name, Map<Integer, ComparisonResult> bySize) {
    ComparisonResult outcomes = bySize.get(GoodputBenchmark.MEBIBYTE);
    if (outcomes != null && outcomes.figure(name, "send_ns").isPresent()) {
      ceiling.add(
          name,
          outcomes.figure(name, "send_ns"),
          outcomes.figure(name, "device_ns"),
          outcomes.figure(name, "crc_ns"),
          outcomes.figure(name, "place_ns"));
    }
  }

  private static Object perKibibyte(Optional<Series> figure, int octets) {
    return figure.map(each -> each.times(1024.0 / octets));
  }

  private static String mtu(String name) {
    return name.contains(MTUS[0]) ? MTUS[0] : MTUS[1];
  }

  private Object[] row(
      String name,
      Map<Integer, ComparisonResult> bySize,
      BiFunction<Integer, ComparisonResult, Object> cell) {
    List<Object> row = new ArrayList<>(List.of(name));
    for (int octets : sizes) {
      ComparisonResult outcomes = bySize.get(octets);
      row.add(outcomes == null ? "-" : cell.apply(octets, outcomes));
    }
    return row.toArray();
  }
}
