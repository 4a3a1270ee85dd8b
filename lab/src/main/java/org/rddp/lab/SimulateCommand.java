package org.rddp.lab;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.concurrent.Callable;
import org.rddp.cli.OptionChecks;
import org.rddp.cli.Output;
import org.rddp.simulation.RunTotals;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp simulate}: simulates networks under virtual time, one run for each seed. */
@Command(
    name = "simulate",
    description = {
      "Simulate unreliable networks under virtual time, one run for each seed, and check invariants"
          + " at every step. A seed that fails is printed with the command that replays it.",
      "Fails if an invariant is violated. From 1000 runs on, fails also if a counted event never"
          + " happened or the median run is too short: 500 segments with data (tcp), 500 ULPDUs"
          + " (mpa), 500 segments placed (rdma), 100 segments placed (programs), 10000 octets read"
          + " (sockets).",
      "Needs no DPDK, no huge pages and no network."
    })
final class SimulateCommand implements Callable<Integer> {
  private static final long DEFAULT_RUNS = 1000;
  private static final int PROGRESS_EVERY = 5;

  /** Limit of runs: months of simulation. */
  private static final long MAX_RUNS = 1_000_000_000;

  @Parameters(paramLabel = "KIND", description = "The simulation: ${COMPLETION-CANDIDATES}.")
  private SimulationKind kind;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "Number of runs (default: 1000, or 1 with --seed).")
  private Long seeds;

  @Option(names = "--seed", paramLabel = "FIRST", description = "The first seed (default: 1).")
  private Long first;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Number of threads (default: the number of cores).")
  private Integer threads;

  @Option(names = "--trace", description = "Print every packet of one run.")
  private boolean trace;

  @Option(names = "--json", description = "Print only one JSON object, at the end.")
  private boolean json;

  @Spec private CommandSpec spec;

  private long reported;

  @Override
  public Integer call() throws InterruptedException {
    long from = first == null ? 1 : first;
    long runs = seeds != null ? seeds : first == null && !trace ? DEFAULT_RUNS : 1;
    int cores = Runtime.getRuntime().availableProcessors();
    int threadCount = threads == null ? cores : threads;
    OptionChecks.require(
        spec, runs >= 1 && runs <= MAX_RUNS, "--seeds is 1 to " + MAX_RUNS + ", not " + runs);
    OptionChecks.require(spec, from <= Long.MAX_VALUE - runs, "--seed and --seeds are too large");
    OptionChecks.require(
        spec,
        threadCount >= 1 && threadCount <= 1024,
        "--threads is 1 to 1024, not " + threadCount);
    OptionChecks.require(spec, !trace || runs == 1, "--trace prints one run: omit --seeds");
    OptionChecks.require(spec, !trace || !json, "--trace and --json exclude each other");
    return trace ? trace(from) : run(from, runs, (int) Math.min(threadCount, runs));
  }

  private int trace(long seed) {
    RunTotals totals = new RunTotals();
    String violation =
        kind.simulation().run(seed, totals, line -> spec.commandLine().getOut().println(line));
    Output.println(
        spec, violation == null ? "seed " + seed + ": no violation" : failure(seed, violation));
    return violation == null ? 0 : 1;
  }

  private int run(long from, long runs, int threadCount) throws InterruptedException {
    SimulationRun run = new SimulationRun(kind, from, runs, this::failed);
    run.run(threadCount, finished -> progress(finished, runs));
    if (json) {
      Output.println(spec, toJson(run, from).toString());
    } else {
      print(run);
    }
    return run.passed() ? 0 : 1;
  }

  private synchronized void failed(long seed, String violation) {
    if (!json) {
      Output.println(spec, failure(seed, violation));
      Output.println(spec, "  replay: rddp simulate " + kind + " --seed " + seed + " --trace");
    }
  }

  private static String failure(long seed, String violation) {
    return "seed " + seed + " FAILED: " + violation;
  }

  private synchronized void progress(long finished, long runs) {
    if (!json && (finished - reported) * 100 >= runs * PROGRESS_EVERY) {
      reported = finished;
      Output.println(spec, finished + " of " + runs + " runs");
    }
  }

  private void print(SimulationRun run) {
    RunTotals totals = run.totals();
    Output.println(spec, "");
    for (String name : totals.names()) {
      Output.println(spec, String.format("%14d  %s", totals.count(name), name));
    }
    Output.println(
        spec, String.format("%14d  median of %s in a run", totals.median(), kind.measure()));
    Output.println(spec, "");
    for (String name : run.missing()) {
      Output.println(spec, "FAILED: never happened: " + name);
    }
    if (!run.longEnough()) {
      Output.println(spec, "FAILED: the runs are too short");
    }
    int failed = run.failures().size();
    Output.println(
        spec, totals.runs() + " runs, " + (failed == 0 ? "no violations" : failed + " failed"));
  }

  private JsonObject toJson(SimulationRun run, long from) {
    RunTotals totals = run.totals();
    JsonObject counts = new JsonObject();
    totals.names().forEach(name -> counts.addProperty(name, totals.count(name)));
    JsonArray failures = new JsonArray();
    run.failures()
        .forEach((seed, violation) -> {
          JsonObject failure = new JsonObject();
          failure.addProperty("seed", seed);
          failure.addProperty("violation", violation);
          failures.add(failure);
        });
    JsonArray missing = new JsonArray();
    run.missing().forEach(missing::add);
    JsonObject result = new JsonObject();
    result.addProperty("kind", kind.toString());
    result.addProperty("first", from);
    result.addProperty("lives", totals.runs());
    result.addProperty("passed", run.passed());
    result.addProperty(kind.key(), totals.median());
    result.add("counts", counts);
    result.add("missing", missing);
    result.add("failures", failures);
    return result;
  }
}
