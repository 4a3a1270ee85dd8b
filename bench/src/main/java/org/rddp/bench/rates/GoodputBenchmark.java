package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rddp.bench.NamedBenchmark;
import org.rddp.bench.method.Contest;
import org.rddp.bench.method.Entrant;
import org.rddp.bench.method.Outcome;
import org.rddp.bench.method.Outcomes;
import org.rddp.bench.method.Progress;
import org.rddp.bench.method.Series;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.Report;
import org.rddp.bench.report.Table;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench goodput}. */
@Command(
    name = "goodput",
    description =
        "Octets a second by message size and MTU, beside kernel TCP and what is possible.")
public final class GoodputBenchmark extends NamedBenchmark {
  private static final int MEBIBYTE = 1 << 20;
  private static final int[] SIZES = {
    1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, MEBIBYTE, 4 * MEBIBYTE, 16 * MEBIBYTE
  };
  private static final int[] QUICK_SIZES = {1 << 10, 64 << 10, MEBIBYTE};

  private static final String RDDP = "rddp, MTU 1500";
  private static final String RDDP_JUMBO = "rddp, MTU 9000";
  private static final String KERNEL = "kernel TCP, MTU 1500";
  private static final String KERNEL_PLAIN = "kernel TCP, MTU 1500, offloads off";
  private static final String KERNEL_JUMBO = "kernel TCP, MTU 9000";
  private static final String CEILING = "copy + CRC + device, MTU 1500";
  private static final String CEILING_JUMBO = "copy + CRC + device, MTU 9000";

  /** For picocli. */
  public GoodputBenchmark() {}

  @Override
  protected void measure(Report report, Progress progress) throws Exception {
    report.method(
        "RDMA Writes one way, each found in the sink's memory before it counts; as many under way as"
            + " fill twice TCP's window. rddp: both engines on one core, both programs on the other,"
            + " CRC on unless said. Kernel TCP: Java NIO over veth, each end on a core, blocking, one"
            + " write() a message; it checks no CRC, and with offloads off it cuts and sums every"
            + " frame, as rddp always does. Copy + CRC + device: two copies and two CRCs of each"
            + " frame's payload and the frame over the same device, each timed alone on one core and"
            + " added up.");
    int rounds = quick() ? 3 : 7;
    int millis = quick() ? 250 : 700;
    Map<Integer, Outcomes> found = new LinkedHashMap<>();
    try (Contest contest = new Contest(quick() ? fewEntrants() : allEntrants(), progress)) {
      contest.warmUp(Tasks.stream(MEBIBYTE, quick() ? 1500 : 4000));
      contest.warmUp(Tasks.stream(1 << 10, quick() ? 500 : 2000));
      for (int octets : quick() ? QUICK_SIZES : SIZES) {
        String title = size(octets);
        JsonObject task = Tasks.stream(octets, Math.max(millis, octets >> 15));
        Outcomes outcomes = contest.run(title, task, rounds);
        report.conditions("messages of " + title, outcomes.conditions());
        found.put(octets, outcomes);
      }
    }
    addGoals(report, found.get(MEBIBYTE));
    addTables(report, found);
  }

  private static List<Entrant> fewEntrants() {
    return List.of(
        rddp(RDDP, 1500, true, false, false),
        kernel(KERNEL, 1500, true),
        kernel(KERNEL_PLAIN, 1500, false),
        ceiling(CEILING, 1500),
        rddp(RDDP_JUMBO, 9000, true, false, false),
        kernel(KERNEL_JUMBO, 9000, true),
        ceiling(CEILING_JUMBO, 9000));
  }

  private static List<Entrant> allEntrants() {
    List<Entrant> all = new ArrayList<>(fewEntrants());
    all.add(kernel("kernel TCP, MTU 9000, offloads off", 9000, false));
    for (int mtu : new int[] {1500, 9000}) {
      String name = "rddp, MTU " + mtu;
      all.add(rddp(name + ", no CRC", mtu, false, false, false));
      all.add(rddp(name + ", Markers", mtu, true, true, false));
      all.add(rddp(name + ", no CRC, Markers", mtu, false, true, false));
      all.add(rddp(name + ", packing", mtu, true, false, true));
    }
    return all;
  }

  private static Entrant rddp(String name, int mtu, boolean crc, boolean markers, boolean packing) {
    return Entrant.of(name, RddpStreamRig.class)
        .with("mtu", mtu)
        .with("crc", Boolean.toString(crc))
        .with("markers", Boolean.toString(markers))
        .with("packing", Boolean.toString(packing));
  }

  private static Entrant kernel(String name, int mtu, boolean offloads) {
    return Entrant.of(name, KernelStreamRig.class)
        .with("mtu", mtu)
        .with("offloads", Boolean.toString(offloads));
  }

  private static Entrant ceiling(String name, int mtu) {
    return Entrant.of(name, CeilingRig.class).with("mtu", mtu);
  }

  private static void addGoals(Report report, Outcomes found) {
    report.add(
        Goal.atLeast(
            4,
            "goodput_beside_kernel_offloads_off",
            "goodput, 1 MiB writes, CRC, MTU 1500: times kernel TCP with offloads off",
            found.ratio(RDDP, KERNEL_PLAIN, "gbps")));
    report.add(
        Goal.atLeast(
            1.2,
            "goodput_beside_kernel",
            "the same: times kernel TCP with offloads on, which checks no CRC",
            found.ratio(RDDP, KERNEL, "gbps")));
    report.add(
        Goal.atLeast(
            2.5,
            "goodput_jumbo_beside_kernel",
            "goodput, 1 MiB writes, CRC, MTU 9000: times kernel TCP with offloads on",
            found.ratio(RDDP_JUMBO, KERNEL_JUMBO, "gbps")));
    report.add(
        Goal.atLeast(
            0.6,
            "goodput_jumbo_of_ceiling",
            "the same: share of copy + CRC + device",
            found.ratio(RDDP_JUMBO, CEILING_JUMBO, "gbps")));
  }

  private static void addTables(Report report, Map<Integer, Outcomes> found) {
    Table table = new Table("goodput", "Goodput by message size", "Payload in Gb/s.");
    table.column("entrant", "");
    Table cost =
        new Table(
            "cpu_per_octet",
            "CPU time per octet",
            "Of all threads of both ends, in ns for 1024 octets. rddp's two threads poll: what they"
                + " do not use of their cores is counted, too.");
    cost.column("entrant", "");
    Plot plot =
        report.add(new Plot("by-size", "Goodput by message size", "octets of a message", "Gb/s"));
    plot.logarithmic().linear();
    found
        .keySet()
        .forEach(octets -> {
          table.column("octets_" + octets, size(octets));
          cost.column("octets_" + octets, size(octets));
        });
    for (String name : found.values().iterator().next().all().keySet()) {
      List<Object> goodput = new ArrayList<>(List.of(name));
      List<Object> spent = new ArrayList<>(List.of(name));
      List<Double> sizes = new ArrayList<>();
      List<Double> medians = new ArrayList<>();
      found.forEach((octets, outcomes) -> {
        Outcome outcome = outcomes.of(name);
        goodput.add(outcome.cell("gbps", 1));
        spent.add(outcome.cell("cpu_ns", 1024.0 / octets));
        Optional<Series> gbps = outcome.figure("gbps");
        if (gbps.isPresent()) {
          sizes.add((double) octets);
          medians.add(gbps.get().median());
        }
      });
      table.add(goodput.toArray());
      cost.add(spent.toArray());
      plot.line(name, sizes, medians);
    }
    report.add(table);
    report.add(cost);
  }

  private static String size(int octets) {
    return octets < MEBIBYTE ? (octets >> 10) + " KiB" : (octets >> 20) + " MiB";
  }
}
