package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Series;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.Quantity;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench esp}. */
@Command(
    name = "esp",
    description = "Goodput and round trips in ESP with AES-GCM, beside those in clear.")
public final class EncryptionBenchmark extends NamedBenchmark {
  private static final int FRAME = 1500;
  private static final int JUMBO = 9000;
  private static final int MEBIBYTE = 1 << 20;
  private static final double GIGA = 1e9;
  private static final double MICROSECONDS = 1e-3;

  /**
   * Octets a packet that count as none: the measurement allocates some 80 a second, in clear, too.
   * A write has more packets than its octets over the MTU.
   */
  private static final double NONE = 0.01;

  /** The first MTU's part of the budget, and the second one's part of what is left. */
  private static final double THIRD = 1.0 / 3;

  private static final double HALF = 0.5;

  private static final String PLAIN = "in clear";
  private static final String SINGLE = "in clear, one FPDU a frame";
  private static final String BYPASSED = "in clear, by a policy";
  private static final String SEALED = "ESP";
  private static final String NO_CRC = ", no CRC";

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(5);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "RDMA Writes of 1 MiB one way as under 'Goodput', and writes of 64 octets to and fro; both"
            + " engines on one core, both programs on the other. ESP: AES-GCM with 128 bits, transport"
            + " mode, IPv4, an association for each direction. A sealed packet holds one FPDU, and in"
            + " clear a frame of these rings holds several, so there is also rddp in clear with one FPDU"
            + " a frame (longest-frame = mtu), and with a policy that lets everything pass in clear,"
            + " which has no longer frames either. The engines' core seals and opens every packet: on"
            + " two hosts each core does one of both. Kernel TCP over XFRM is not among the contenders:"
            + " a kernel without esp4 and rfc4106(gcm(aes)), as this one, cannot do it.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    ReportTable goodput =
        report.add(
            new ReportTable("goodput", "Goodput of writes of 1 MiB", "Medians of rounds.")
                .column("contender", "")
                .column("gbps", "goodput")
                .column("plain_ratio", "/ in clear, the same CRC")
                .column("single_ratio", "/ in clear, one FPDU a frame, the same CRC")
                .column("engine_octets", "octets that the engine allocates a write"));
    measure(report, goodput, progress.part(THIRD), FRAME, 0.55);
    measure(report, goodput, progress.part(HALF), JUMBO, 0.6);
    measureRoundTrips(report, progress);
  }

  private static Contender contender(
      String name, Class<? extends Rig> rig, int mtu, String of, boolean crc) {
    Contender made = Contender.of(name, rig).with("mtu", mtu).with("crc", Boolean.toString(crc));
    if (mtu == FRAME) {
      // For segments as short as these the JDK's CRC is chosen in any case.
      made = made.withFlags("-Drddp.crc32c=jdk");
    }
    return switch (of) {
      case SINGLE -> made.with("trains", "false");
      case BYPASSED -> made.with("ipsec", "bypass");
      case SEALED -> made.with("ipsec", "require");
      default -> made;
    };
  }

  private static String name(int mtu, String of, boolean crc) {
    return "MTU " + mtu + ", " + of + (crc ? "" : NO_CRC);
  }

  private void measure(
      BenchmarkReport report, ReportTable table, Progress progress, int mtu, double wanted)
      throws IOException, InterruptedException {
    List<String> kinds =
        quick() ? List.of(PLAIN, SINGLE, SEALED) : List.of(PLAIN, SINGLE, BYPASSED, SEALED);
    List<Boolean> crcs = quick() ? List.of(true) : List.of(true, false);
    List<Contender> contenders = new ArrayList<>();
    for (boolean crc : crcs) {
      for (String of : kinds) {
        if (crc || !of.equals(BYPASSED)) {
          contenders.add(contender(name(mtu, of, crc), RddpStreamRig.class, mtu, of, crc));
        }
      }
    }
    JsonObject task = StreamTasks.stream(MEBIBYTE, quick() ? 150 : 400);
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(StreamTasks.stream(MEBIBYTE, 100));
      progress.budget().expect(1);
      ComparisonResult found = contest.run("MTU " + mtu, task, quick() ? 5 : 15);
      report.conditions(table, found.title(), found.conditions());
      for (boolean crc : crcs) {
        for (String of : kinds) {
          String name = name(mtu, of, crc);
          if (found.all().containsKey(name)) {
            table.add(
                name,
                Quantity.cell(found.of(name), "gbps", GIGA, "b/s"),
                found.ratio(name, name(mtu, PLAIN, crc), "gbps"),
                found.ratio(name, name(mtu, SINGLE, crc), "gbps"),
                found.figure(name, "engine_octets"));
          }
        }
        addGoal(report, found, mtu, crc, wanted);
      }
      String sealed = name(mtu, SEALED, true);
      report.add(
          Goal.atMost(
                  NONE,
                  "esp_packet_allocation_" + mtu,
                  "octets that the engine allocates a packet in ESP, MTU " + mtu,
                  found
                      .figure(sealed, "engine_octets")
                      .map(octets -> octets.times((double) mtu / MEBIBYTE)))
              .measuredIn(found, sealed));
    }
  }

  private static void addGoal(
      BenchmarkReport report, ComparisonResult found, int mtu, boolean crc, double wanted) {
    String sealed = name(mtu, SEALED, crc);
    String plain = name(mtu, PLAIN, crc);
    Optional<Series> beside = found.ratio(sealed, name(mtu, SINGLE, crc), "gbps");
    report.add(
        Goal.atLeast(
                wanted,
                "esp_goodput_" + mtu + (crc ? "" : "_no_crc"),
                "goodput in ESP, AES-GCM-128, MTU "
                    + mtu
                    + (crc ? "" : NO_CRC)
                    + ": of that in clear",
                found.ratio(sealed, plain, "gbps"))
            .remark(
                beside
                    .map(ratio -> "of that in clear with one FPDU a frame: " + ratio)
                    .orElse("one FPDU a frame: not measured"))
            .measuredIn(found, sealed, plain));
  }

  private void measureRoundTrips(BenchmarkReport report, Progress progress)
      throws IOException, InterruptedException {
    List<Contender> contenders = new ArrayList<>();
    for (String of : List.of(PLAIN, BYPASSED, SEALED)) {
      contenders.add(contender(of, ConnectionsRig.class, FRAME, of, true).with("connections", 1));
    }
    ReportTable table =
        report.add(
            new ReportTable("round_trips", "Round trips of 64 octets", "MTU 1500, microseconds.")
                .column("contender", "")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("p999", "p99.9")
                .column("ratio", "p50 / in clear"));
    JsonObject task = Json.of("spread", false, "millis", quick() ? 250 : 500);
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(task);
      progress.budget().expect(1);
      ComparisonResult found = contest.run("round trips", task, quick() ? 5 : 15);
      report.conditions(table, found.title(), found.conditions());
      found
          .all()
          .forEach((name, each) ->
              table.add(
                  name,
                  each.cells(MICROSECONDS, "p50", "p99", "p999"),
                  found.ratio(name, PLAIN, "p50")));
      report.add(
          Goal.atMost(
                  1.4,
                  "esp_round_trip",
                  "64-octet round trip in ESP, p50, over one in clear",
                  found.ratio(SEALED, PLAIN, "p50"))
              .measuredIn(found, SEALED, PLAIN));
    }
  }
}
