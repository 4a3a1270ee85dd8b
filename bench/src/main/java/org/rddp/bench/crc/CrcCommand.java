package org.rddp.bench.crc;

import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.rddp.bench.harness.InterleavedRounds;
import org.rddp.bench.harness.MachineMonitor;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Series;
import org.rddp.bench.harness.TimedLoop;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.crc.Crc32c;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/rddp bench crc}. */
@Command(name = "crc", description = "CRC32c by length, beside the JDK's, ISA-L's and memcpy.")
public final class CrcCommand extends NamedBenchmark {
  private static final int[] LENGTHS = {
    1, 4, 16, 20, 64, 100, 128, 160, 255, 256, 400, 576, 1000, 1024, 1460, 1500, 2048, 2560, 3000,
    4095, 4096, 5000, 6144, 8192, 8960, 12000, 16384, 24576, 32768, 50000, 65535, 65536
  };
  private static final int[] QUICK = {
    1, 16, 64, 256, 576, 1024, 1460, 2048, 4096, 8960, 16384, 32768, 65536
  };

  @Option(names = "--lengths", split = ",", description = "Octets to measure at, each 1 or more.")
  private int[] lengths;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofSeconds(60);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    int[] all = lengths != null ? lengths : quick() ? QUICK : LENGTHS;
    if (IntStream.of(all).anyMatch(length -> length < 1)) {
      throw usageError("--lengths: each must be 1 or more");
    }
    progress.log("trying what is quickest on this machine");
    Crc32c.trial(System::nanoTime, Thread::yield).run();
    CrcLoops contenders = new CrcLoops(IntStream.of(all).max().orElseThrow());
    Map<String, TimedLoop> named = contenders.all();
    InterleavedRounds rounds =
        new InterleavedRounds(named, quick() ? 31 : 101, quick() ? 100_000 : 300_000);
    progress.log("warming up");
    rounds.warmUp(all, quick() ? 5_000_000_000L : 10_000_000_000L);
    CrcReport found = new CrcReport(Crc32c.chosen());
    MachineMonitor watch = MachineMonitor.start();
    for (int length : all) {
      progress.log(length + " octets");
      Map<String, Series> times = rounds.measure(length);
      long allocated =
          rounds.allocated(CrcLoops.RDDP, length) + rounds.allocated(CrcLoops.FUSED, length);
      found.add(length, times, allocated);
    }
    report.conditions("all lengths", watch.stop());
    found.into(report, named.containsKey(CrcLoops.ISA_L));
  }
}
