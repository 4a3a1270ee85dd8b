package org.rddp.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rddp.perf.PerfRequest;
import org.rddp.perf.PerfSettings;
import org.rddp.perf.PerfSettings.Test;
import org.rddp.perf.Verb;
import org.rddp.perf.Waiting;
import org.rddp.rig.WaitStrategy;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of {@code rddp perf} that say what is measured. Short names are perftest's. */
final class PerfOptions {
  private static final int LARGEST_OF_ALL = 1 << 23;
  private static final int LAT_SIZE = 64;
  private static final int BW_SIZE = 64 << 10;
  private static final long LAT_ITERATIONS = 10_000;
  private static final double LAT_SECONDS = 10;
  private static final double BW_SECONDS = 2;
  private static final int BW_OUTSTANDING = 128;
  private static final int OPEN_LOOP_OUTSTANDING = 64;
  private static final double MOST_SECONDS = 1e6;
  private static final double MOST_PER_SECOND = 1e9;

  @Option(
      names = {"-s", "--size"},
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Size of a message (default: 64 for lat, 64KiB for bw; always 8 for atomic).")
  private Long size;

  @Option(
      names = {"-a", "--all"},
      description = "Measure all sizes from 2 to 8MiB, each twice the one before.")
  private boolean all;

  @Option(
      names = {"-n", "--iterations"},
      paramLabel = "N",
      description =
          "Number of operations for each size (default: 10000 for lat, but at most 10 s; for bw as"
              + " many as fit into 2 s).")
  private Long iterations;

  @Option(
      names = {"-D", "--duration"},
      paramLabel = "SECONDS",
      description = "Time for each size. With -n as well: whichever ends first.")
  private Double seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "0.5",
      description = "Time before each size in which nothing is measured (default: 0.5).")
  private double warmUp;

  @Option(
      names = {"-t", "--outstanding"},
      paramLabel = "N",
      description =
          "Operations outstanding on a connection, at the most (default: 1 for lat, 64 for lat with"
              + " --rate, 128 for bw). No more Reads and atomics are outstanding than both ends"
              + " agree on (ord, ird in the daemon's configuration).")
  private Integer outstanding;

  @Option(
      names = {"-q", "--connections"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Connections, used in turn (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = {"-b", "--bidirectional"},
      description = "bw: the server makes as many operations as this side; both are counted.")
  private boolean bidirectional;

  @Option(
      names = {"-I", "--inline"},
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "0",
      description =
          "Writes and Sends up to this size lie in the work request itself, up to 168 octets"
              + " (default: ${DEFAULT-VALUE}).")
  private long inline;

  @Option(
      names = {"-Q", "--signal-every"},
      paramLabel = "N",
      description =
          "Signal every Nth operation, in bw at most --outstanding (default: 32, fewer of those"
              + " longer than 32KiB). In lat, every Read and atomic is signalled.")
  private Integer signalEvery;

  @Option(
      names = {"-e", "--events"},
      description =
          "Sleep until the daemon wakes this program, instead of polling; the server does likewise."
              + " Not for the latency of Writes, which raise no event.")
  private boolean events;

  @Option(
      names = "--yield",
      negatable = true,
      description =
          "Give up the core between polls (default: where there are fewer than four cores).")
  private Boolean yields;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Begin N operations a second, without waiting for earlier ones (open loop). Latency"
              + " counts from the time at which an operation was due.")
  private double rate;

  @Option(
      names = "--full",
      description =
          "Print full round trips; otherwise the latency of Writes and Sends is half a round trip,"
              + " as perftest prints it, unless --rate or --outstanding is given.")
  private boolean full;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** The sizes to be measured; a usage error if the options contradict each other. */
  List<Integer> sizes(Test test, Verb verb) {
    require(size == null || !all, "--size and --all exclude each other");
    if (verb == Verb.ATOMIC) {
      require(!all && (size == null || size == Long.BYTES), "an atomic has 8 octets");
      return List.of(Long.BYTES);
    }
    if (all) {
      List<Integer> sizes = new ArrayList<>();
      for (int each = 2; each <= LARGEST_OF_ALL; each *= 2) {
        sizes.add(each);
      }
      return sizes;
    }
    if (size == null) {
      return List.of(test == Test.LAT ? LAT_SIZE : BW_SIZE);
    }
    require(
        size >= 1 && size <= PerfRequest.LARGEST,
        "--size is 1 to " + PerfRequest.LARGEST + ", not " + size);
    return List.of(size.intValue());
  }

  /** The settings; a usage error if an option is out of range or does not fit the others. */
  PerfSettings settings(Test test, Verb verb) {
    boolean latency = test == Test.LAT;
    requireAtLeastOne("--iterations", iterations);
    requireAtLeastOne("--outstanding", outstanding);
    requireAtLeastOne("--signal-every", signalEvery);
    requireAtLeastOne("--connections", connections);
    requireSeconds("--duration", seconds == null ? BW_SECONDS : seconds, seconds != null);
    requireSeconds("--warm-up", warmUp, false);
    require(rate >= 0 && rate <= MOST_PER_SECOND, "--rate is up to 1e9 a second, not " + rate);
    require(inline >= 0 && inline <= Integer.MAX_VALUE, "--inline cannot be " + inline);
    require(!bidirectional || !latency, "--bidirectional is for bw");
    require(!full || latency, "--full is for lat");
    require(
        !events || !latency || verb != Verb.WRITE,
        "lat write cannot wait for events: the answer is found in memory and raises none");
    require(!events || yields == null, "--events and --yield exclude each other");
    int depth = outstanding == null ? defaultOutstanding(latency) : outstanding;
    require(
        depth <= PerfRequest.DEEPEST,
        "--outstanding is 1 to " + PerfRequest.DEEPEST + ", not " + depth);
    int every = signalEvery == null ? 0 : signalEvery;
    require(latency || every <= depth, "--signal-every is at most --outstanding, " + depth);
    return new PerfSettings(
        test,
        verb,
        depth,
        connections,
        bidirectional,
        (int) inline,
        every,
        waiting(),
        rate,
        mostIterations(latency),
        mostNanos(latency),
        nanos(warmUp),
        full);
  }

  private int defaultOutstanding(boolean latency) {
    if (!latency) {
      return BW_OUTSTANDING;
    }
    return rate > 0 ? OPEN_LOOP_OUTSTANDING : 1;
  }

  private Waiting waiting() {
    if (events) {
      return Waiting.EVENTS;
    }
    boolean yielding = yields == null ? WaitStrategy.FEW_CORES : yields;
    return yielding ? Waiting.YIELD : Waiting.POLL;
  }

  private long mostIterations(boolean latency) {
    if (iterations != null) {
      return iterations;
    }
    return latency && seconds == null ? LAT_ITERATIONS : Long.MAX_VALUE;
  }

  private long mostNanos(boolean latency) {
    if (seconds != null) {
      return nanos(seconds);
    }
    return iterations == null ? nanos(latency ? LAT_SECONDS : BW_SECONDS) : Long.MAX_VALUE;
  }

  private static long nanos(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  private void requireAtLeastOne(String name, Number value) {
    require(value == null || value.longValue() >= 1, name + " is 1 or more, not " + value);
  }

  private void requireSeconds(String name, double value, boolean positive) {
    require(
        value >= 0 && value <= MOST_SECONDS && !(positive && value == 0),
        name + " is a number of seconds up to 1e6, not " + value);
  }

  private void require(boolean condition, String message) {
    OptionChecks.require(spec, condition, message);
  }
}
