package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.RigMain;
import org.rddp.bench.harness.Series;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/rddp bench start}. */
@Command(
    name = "start",
    description =
        "Goodput and round trips from the start of a daemon on, quiet and beside busy threads.")
public final class StartBenchmark extends NamedBenchmark {
  private static final String TREE = "source tree";
  private static final String REHEARSE = "--rehearse";
  private static final double MICROSECONDS = 1e-3;

  /** Busy neighbours, one for each core of the smallest machine. */
  private static final int BUSY = 2;

  /** Figures of a row: slices by when they begin, in slices. */
  private static final int[] SHOWN = {0, 1, 2, 3, 5, 7, 10, 15, 19, 29, 49};

  @Option(
      names = "--installed",
      paramLabel = "FOLDER",
      description =
          "Measure the daemon of this installed copy, such as /usr/lib/rddp or an unpacked tarball,"
              + " instead of the source tree's. Several: side by side.")
  private List<Path> copies = List.of();

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "A daemon with default settings and two interfaces joined by a ring starts, in a process of its own;"
            + " as soon as it is ready, two programs on one thread, which are warm, connect and use it. Goodput:"
            + " Writes of 64 KiB, 16 outstanding, at an MTU of 1500. Round trips: Writes of 64 octets to and fro."
            + " Time begins with the first of them. Warm: a second over a daemon that has had traffic of"
            + " both kinds for ten seconds, in the same round. With "
            + REHEARSE
            + " a daemon runs its code over links in its own memory before it is ready. Nothing is pinned. Beside busy threads: "
            + BUSY
            + " processes of one endless loop each, from before the daemon's start to the end.");
    List<Contender> contenders = contenders();
    int slices = quick() ? 2 * StartRig.SECOND : 5 * StartRig.SECOND;
    ReportTable goodput = report.add(table("goodput", "Goodput, Gb/s", slices));
    goodput.column("warm_after_ms", "warm after, ms");
    ReportTable trips = report.add(table("round_trips", "Round trips, p99 in us", slices));
    ReportTable medians = report.add(table("typical", "Round trips, p50 in us", slices));
    try (Comparison contest = new Comparison(contenders, progress)) {
      progress.budget().expect(4);
      for (int neighbours : new int[] {0, BUSY}) {
        String beside = neighbours == 0 ? "quiet" : "beside " + neighbours;
        ComparisonResult writes = run(contest, "goodput, " + beside, false, slices, neighbours);
        report.conditions(goodput, writes.title(), writes.conditions());
        ComparisonResult times = run(contest, "round trips, " + beside, true, slices, neighbours);
        report.conditions(trips, times.title(), times.conditions());
        Plot plot =
            report.add(
                new Plot(
                    neighbours == 0 ? "quiet" : "busy",
                    "Goodput after the start of a daemon, " + beside,
                    "ms",
                    "Gb/s"));
        for (Contender each : contenders) {
          String name = each.name();
          ContenderResult found = writes.of(name);
          List<Object> row = cells(found, "gbps_", 1, slices);
          row.add(found.cell("warm_after_ms", 1));
          goodput.add(beside, name, found.cell("ready_ms", 1), row);
          for (int i = 0; i < slices; i++) {
            plot.point(name, (i + 0.5) * StartRig.SLICE, found.figure("gbps_" + i));
          }
          ContenderResult timed = times.of(name);
          trips.add(
              beside, name, timed.cell("ready_ms", 1), cells(timed, "p99_", MICROSECONDS, slices));
          medians.add(
              beside, name, timed.cell("ready_ms", 1), cells(timed, "p50_", MICROSECONDS, slices));
          addGoals(report, writes, times, name, beside, neighbours);
        }
      }
    }
  }

  private List<Contender> contenders() {
    if (copies.isEmpty()) {
      return List.of(
          Contender.of(TREE, StartRig.class),
          Contender.of(TREE + ", " + REHEARSE, StartRig.class).with(StartRig.OPTION, REHEARSE));
    }
    List<Contender> all = new ArrayList<>();
    for (Path copy : copies) {
      Path folder = copy.toAbsolutePath().normalize();
      all.add(Contender.of(copy.toString(), StartRig.class).with("copy", folder.toString()));
    }
    return all;
  }

  private static ReportTable table(String name, String title, int slices) {
    ReportTable table =
        new ReportTable(
                name,
                title,
                "By ms since the first request; each figure is of "
                    + StartRig.SLICE
                    + " ms, those of the first and of a warm second in the last columns.")
            .column("beside", "load")
            .column("contender", "daemon of")
            .column("ready_ms", "ready after, ms");
    for (int slice : SHOWN) {
      if (slice < slices) {
        table.column("at_" + slice * StartRig.SLICE, Integer.toString(slice * StartRig.SLICE));
      }
    }
    return table.column("first", "first second").column("warm", "warm");
  }

  private static List<Object> cells(
      ContenderResult found, String prefix, double factor, int slices) {
    List<Object> cells = new ArrayList<>();
    for (int slice : SHOWN) {
      if (slice < slices) {
        cells.add(found.cell(prefix + slice, factor));
      }
    }
    boolean typical = prefix.equals("p50_");
    cells.add(typical ? "" : found.cell("first", factor));
    cells.add(typical ? "" : found.cell("warm", factor));
    return cells;
  }

  private ComparisonResult run(
      Comparison contest, String title, boolean trips, int slices, int neighbours)
      throws Exception {
    JsonObject task = Json.of("trips", trips, "millis", slices * StartRig.SLICE);
    return contest.runCold(title, RigMain.beside(neighbours, task), quick() ? 1 : 5);
  }

  private static void addGoals(
      BenchmarkReport report,
      ComparisonResult writes,
      ComparisonResult times,
      String name,
      String beside,
      int neighbours) {
    String suffix = "_" + (neighbours == 0 ? "quiet" : "busy") + "_" + name;
    report.add(
        Goal.atLeast(
                0.5,
                "start_goodput" + suffix,
                name + ", " + beside + ": goodput in the first second over a warm one's",
                ratio(writes, name))
            .measuredIn(writes, name));
    report.add(
        Goal.atMost(
                3,
                "start_p99" + suffix,
                name
                    + ", "
                    + beside
                    + ": p99 of 64-octet round trips in the first second over a warm one's",
                ratio(times, name))
            .measuredIn(times, name));
    report.add(
        Goal.atMost(
                3000,
                "start_warm" + suffix,
                name + ", " + beside + ": ms of traffic until goodput is 0.8 of the warm one",
                writes.figure(name, "warm_after_ms"))
            .measuredIn(writes, name));
  }

  private static Optional<Series> ratio(ComparisonResult found, String name) {
    return found
        .figure(name, "first")
        .flatMap(first -> found.figure(name, "warm").map(first::over));
  }
}
