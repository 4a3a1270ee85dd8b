package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.RttCommand.AERON_IPC;
import static org.rddp.bench.rtt.RttCommand.FLOOR;
import static org.rddp.bench.rtt.RttCommand.FRAMES;
import static org.rddp.bench.rtt.RttCommand.RDDP;
import static org.rddp.bench.rtt.RttCommand.TCP;
import static org.rddp.bench.rtt.RttCommand.TWO_DAEMONS;

import java.util.Optional;
import java.util.stream.Stream;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Series;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;

/** The goals of round trips of 64 octets. */
final class RttGoals {
  private static final double NEAR = 1 / 7.0;
  private static final double FAR = 1 / 4.0;

  private RttGoals() {}

  static void add(BenchmarkReport report, ComparisonResult found) {
    boolean near = found.conditions().near();
    Stream.of(
            Goal.atMost(
                    near ? NEAR : FAR,
                    "write_p50_tcp",
                    "64-octet write, p50, over kernel TCP busy-polling",
                    found.ratio(RDDP, TCP, "p50"))
                .remark(found.conditions().distance()),
            Goal.atMost(0.25, "write_p99_tcp", "the same, p99", found.ratio(RDDP, TCP, "p99")),
            Goal.atMost(
                1 / 3.0, "write_p999_tcp", "the same, p99.9", found.ratio(RDDP, TCP, "p999")))
        .forEach(goal -> report.add(goal.measuredIn(found, RDDP, TCP)));
    report.add(
        Goal.atMost(
                2,
                "write_p50_floor",
                "64-octet write, p50, over its layout's floor",
                found.ratio(RDDP, FLOOR, "p50"))
            .remark("the same rings, threads and device, no protocol")
            .measuredIn(found, RDDP, FLOOR));
    report.add(
        Goal.atMost(
                1,
                "write_p50_aeron",
                "64-octet write, p50, over Aeron IPC plus raw frames",
                overSum(found, RDDP, AERON_IPC, FRAMES))
            .remark("both cross the cores four times")
            .measuredIn(found, RDDP, AERON_IPC, FRAMES));
    Optional<Series> twoDaemons = found.figure(TWO_DAEMONS, "p50");
    if (twoDaemons.isPresent()) {
      report.add(
          Goal.atMost(
                  15_000,
                  "write_p50_two_daemons",
                  "64-octet write between two daemons, p50, ns",
                  twoDaemons)
              .remark("three threads on two cores")
              .measuredIn(found, TWO_DAEMONS));
    }
  }

  /** One contender's p50 over the sum of two others', round by round. */
  static Optional<Series> overSum(ComparisonResult found, String over, String one, String other) {
    Optional<Series> above = found.figure(over, "p50");
    Optional<Series> first = found.figure(one, "p50");
    Optional<Series> second = found.figure(other, "p50");
    return above.isPresent() && first.isPresent() && second.isPresent()
        ? Optional.of(above.get().over(first.get().plus(second.get())))
        : Optional.empty();
  }
}
