package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.NamedBenchmark;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench goodput}. */
@Command(
    name = "goodput",
    description =
        "Octets a second by message size and MTU, beside kernel TCP and what is possible.")
public final class GoodputBenchmark extends NamedBenchmark {
  static final int MEBIBYTE = 1 << 20;

  private static final int[] SIZES = {
    1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, MEBIBYTE, 4 * MEBIBYTE, 16 * MEBIBYTE
  };
  private static final int[] QUICK_SIZES = {64 << 10, MEBIBYTE};
  private static final int FRAME = 1500;
  private static final int JUMBO = 9000;

  /** The first comparison's share of the budget: in the second, CRC vectors are tried. */
  private static final double FIRST = 0.45;

  /** A message takes about its length, shifted by this, in ms. */
  private static final int MILLIS_SHIFT = 15;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(8);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "RDMA Writes one way, each found in the sink's memory before it counts; as many under way as"
            + " fill twice TCP's window. rddp: both engines on one core, both programs on the other,"
            + " CRC on, packing off unless said. Two daemons: three processes (net_vhost and"
            + " net_virtio_user, idling as by default, packing on), three busy threads on two cores."
            + " Kernel TCP: Java NIO over veth, each end on a core, blocking, one write() a message;"
            + " it checks no CRC, and with offloads off it cuts and sums every frame, as rddp always"
            + " does. Copy + CRC + device: for a turn's frames first all copies with CRC out of the"
            + " source's memory, then the frames over the same device, then all CRCs, then all copies"
            + " into the sink's memory, on one core; medians of the four are added up.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    int[] sizes = quick() ? QUICK_SIZES : SIZES;
    GoodputTables tables = new GoodputTables(report, sizes);
    try {
      measure(tables, progress, sizes, FRAME, true);
      measure(tables, progress, sizes, JUMBO, false);
    } finally {
      tables.fill();
    }
    addGoals(tables);
  }

  private void measure(
      GoodputTables tables, Progress progress, int[] sizes, int mtu, boolean othersToCome)
      throws Exception {
    Progress part = othersToCome ? progress.part(FIRST) : progress;
    List<Contender> contenders = quick() ? fewEntrants(mtu) : allEntrants(mtu);
    try (Comparison contest = new Comparison(contenders, part)) {
      contest.warmUp(StreamTasks.stream(MEBIBYTE, 100));
      part.budget().expect(sizes.length);
      int millis = quick() ? 150 : 400;
      for (int octets : sizes) {
        String title = "MTU " + mtu + ", " + StreamTasks.size(octets);
        JsonObject task = StreamTasks.stream(octets, Math.max(millis, octets >> MILLIS_SHIFT));
        ComparisonResult found = contest.run(title, task, quick() ? 5 : 9);
        tables.add(octets, found);
      }
    }
  }

  static String rddp(int mtu) {
    return "rddp, MTU " + mtu;
  }

  static String kernel(int mtu) {
    return "kernel TCP, MTU " + mtu;
  }

  private static String plainKernel(int mtu) {
    return kernel(mtu) + ", offloads off";
  }

  private static String ceiling(int mtu) {
    return "copy + CRC + device, MTU " + mtu;
  }

  private static List<Contender> fewEntrants(int mtu) {
    List<Contender> all = new ArrayList<>();
    if (mtu == FRAME) {
      // For segments as short as these the JDK's CRC is chosen in any case.
      all.add(rddp(rddp(mtu), mtu, true, false, false).withFlags("-Drddp.crc32c=jdk"));
      all.add(kernel(kernel(mtu), mtu, true));
      all.add(kernel(plainKernel(mtu), mtu, false));
    } else {
      all.add(rddp(rddp(mtu), mtu, true, false, false));
      all.add(kernel(kernel(mtu), mtu, true));
      all.add(ceilingOf(mtu));
    }
    return all;
  }

  private static Contender ceilingOf(int mtu) {
    return Contender.of(ceiling(mtu), CeilingRig.class).with("mtu", mtu);
  }

  private static List<Contender> allEntrants(int mtu) {
    List<Contender> all = new ArrayList<>();
    all.add(rddp(rddp(mtu), mtu, true, false, false));
    all.add(kernel(kernel(mtu), mtu, true));
    all.add(kernel(plainKernel(mtu), mtu, false));
    all.add(ceilingOf(mtu));
    String name = rddp(mtu);
    all.add(rddp(name + ", no CRC", mtu, false, false, false));
    all.add(rddp(name + ", Markers", mtu, true, true, false));
    all.add(rddp(name + ", no CRC, Markers", mtu, false, true, false));
    all.add(rddp(name + ", packing", mtu, true, false, true));
    all.add(Contender.of(name + ", two daemons", TwoDaemonsStreamRig.class).with("mtu", mtu));
    return all;
  }

  private static Contender rddp(
      String name, int mtu, boolean crc, boolean markers, boolean packing) {
    return Contender.of(name, RddpStreamRig.class)
        .with("mtu", mtu)
        .with("crc", Boolean.toString(crc))
        .with("markers", Boolean.toString(markers))
        .with("packing", Boolean.toString(packing));
  }

  private static Contender kernel(String name, int mtu, boolean offloads) {
    return Contender.of(name, KernelStreamRig.class)
        .with("mtu", mtu)
        .with("offloads", Boolean.toString(offloads));
  }

  private static void addGoals(GoodputTables found) {
    found.goal(
        4.5,
        "goodput_beside_kernel_offloads_off",
        "goodput, 1 MiB writes, CRC, MTU 1500: times kernel TCP with offloads off",
        MEBIBYTE,
        rddp(FRAME),
        plainKernel(FRAME));
    found.goal(
        1.6,
        "goodput_beside_kernel",
        "the same: times kernel TCP with offloads on, which checks no CRC",
        MEBIBYTE,
        rddp(FRAME),
        kernel(FRAME));
    found.goal(
        1.4,
        "goodput_64k_beside_kernel",
        "the same with 64 KiB writes",
        64 << 10,
        rddp(FRAME),
        kernel(FRAME));
    found.goal(
        2.2,
        "goodput_jumbo_beside_kernel",
        "goodput, 1 MiB writes, CRC, MTU 9000: times kernel TCP with offloads on",
        MEBIBYTE,
        rddp(JUMBO),
        kernel(JUMBO));
    found.goal(
        0.8,
        "goodput_jumbo_of_ceiling",
        "the same: share of copy + CRC + device",
        MEBIBYTE,
        rddp(JUMBO),
        ceiling(JUMBO));
  }
}
