package org.rddp.bench.crc;

import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.rddp.bench.Contender;
import org.rddp.bench.InterleavedRounds;
import org.rddp.crc.Crc32c;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bin/rddp bench crc}. */
@Command(
    name = "crc",
    description = "CRC32c by length, beside the JDK's, ISA-L's and memcpy.",
    mixinStandardHelpOptions = true)
public final class CrcCommand implements Callable<Integer> {
  private static final String METHOD =
      "ns per call, medians of interleaved rounds, the same octets each time (in L1 up to its size);"
          + " ratios are medians of the rounds' ratios, with quartiles";
  private static final int[] LENGTHS = {
    1, 4, 16, 20, 64, 100, 128, 160, 255, 256, 400, 576, 1000, 1024, 1460, 1500, 2048, 2560, 3000,
    4095, 4096, 5000, 6144, 8192, 8960, 12000, 16384, 24576, 32768, 50000, 65535, 65536
  };
  private static final int[] QUICK = {
    1, 16, 64, 256, 576, 1024, 1460, 2048, 4096, 8960, 16384, 32768, 65536
  };

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Fewer lengths and rounds: some seconds.")
  private boolean quick;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  @Option(names = "--lengths", split = ",", description = "Octets to measure at, each 1 or more.")
  private int[] lengths;

  /** For picocli. */
  public CrcCommand() {}

  @Override
  public Integer call() {
    int[] all = lengths != null ? lengths : quick ? QUICK : LENGTHS;
    if (IntStream.of(all).anyMatch(length -> length < 1)) {
      throw new ParameterException(spec.commandLine(), "--lengths: each must be 1 or more");
    }
    Crc32c.trial(System::nanoTime, Thread::yield).run();
    Contenders contenders = new Contenders(IntStream.of(all).max().orElseThrow());
    Map<String, Contender> named = contenders.all();
    InterleavedRounds rounds =
        new InterleavedRounds(named, quick ? 31 : 101, quick ? 100_000 : 300_000);
    rounds.warmUp(all, quick ? 5_000_000_000L : 10_000_000_000L);
    PrintWriter out = spec.commandLine().getOut();
    CrcReport report = new CrcReport(Crc32c.chosen(), METHOD);
    for (int length : all) {
      Map<String, double[]> times = rounds.measure(length);
      long allocated =
          rounds.allocated(Contenders.RDDP, length) + rounds.allocated(Contenders.FUSED, length);
      report.add(length, times, allocated);
    }
    if (json) {
      out.println(report.toJson());
    } else {
      report.print(out, named.containsKey(Contenders.ISA_L));
    }
    out.flush();
    return 0;
  }
}
