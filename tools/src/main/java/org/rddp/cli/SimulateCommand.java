package org.rddp.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.concurrent.Callable;
import org.rddp.simulation.RunTotals;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp simulate}: whole networks under virtual time, a life for each seed. */
@Command(
    name = "simulate",
    description = {
      "Simulate lives over bad networks under virtual time, one for each seed, and check at every"
          + " step what must hold. A seed that fails is printed with the command that replays it.",
      "Fails if anything is violated; and, from 1000 lives on, if anything that is counted never"
          + " happened or if the median life is short: 500 segments with data (tcp), 500 ULPDUs (mpa),"
          + " 500 segments placed (rdma), 100 segments placed (programs).",
      "Needs no DPDK, no hugepages and no network."
    })
final class SimulateCommand implements Callable<Integer> {
  private static final long MANY = 1000;
  private static final int PROGRESS_EVERY = 5;

  /** Some months of lives. */
  private static final long MOST = 1_000_000_000;

  @Parameters(paramLabel = "KIND", description = "What is simulated: ${COMPLETION-CANDIDATES}.")
  private SimulationKind kind;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "How many lives (default: 1000, or 1 with --seed).")
  private Long seeds;

  @Option(names = "--seed", paramLabel = "FIRST", description = "The first seed (default: 1).")
  private Long first;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Lives at once (default: the number of cores).")
  private Integer threads;

  @Option(names = "--trace", description = "Tell one life packet by packet.")
  private boolean trace;

  @Option(names = "--json", description = "Print one JSON object at the end, and nothing else.")
  private boolean json;

  @Spec private CommandSpec spec;

  private long told;

  @Override
  public Integer call() throws InterruptedException {
    long from = first == null ? 1 : first;
    long lives = seeds != null ? seeds : first == null && !trace ? MANY : 1;
    int cores = Runtime.getRuntime().availableProcessors();
    int atOnce = threads == null ? cores : threads;
    OptionChecks.require(
        spec, lives >= 1 && lives <= MOST, "--seeds is 1 to " + MOST + ", not " + lives);
    OptionChecks.require(spec, from <= Long.MAX_VALUE - lives, "--seed and --seeds are too large");
    OptionChecks.require(
        spec, atOnce >= 1 && atOnce <= 1024, "--threads is 1 to 1024, not " + atOnce);
    OptionChecks.require(spec, !trace || lives == 1, "--trace tells one life: leave --seeds out");
    OptionChecks.require(spec, !trace || !json, "--trace and --json do not go together");
    return trace ? trace(from) : run(from, lives, (int) Math.min(atOnce, lives));
  }

  private int trace(long seed) {
    RunTotals totals = new RunTotals();
    String violation =
        kind.simulation().run(seed, totals, line -> spec.commandLine().getOut().println(line));
    say(violation == null ? "seed " + seed + ": everything held" : failure(seed, violation));
    return violation == null ? 0 : 1;
  }

  private int run(long from, long lives, int atOnce) throws InterruptedException {
    SimulationRun run = new SimulationRun(kind, from, lives, this::failed);
    run.run(atOnce, lived -> progress(lived, lives));
    if (json) {
      Output.println(spec, toJson(run, from).toString());
    } else {
      tell(run);
    }
    return run.passed() ? 0 : 1;
  }

  private synchronized void failed(long seed, String violation) {
    if (!json) {
      say(failure(seed, violation));
      say("  replay: rddp simulate " + kind + " --seed " + seed + " --trace");
    }
  }

  private static String failure(long seed, String violation) {
    return "seed " + seed + " FAILED: " + violation;
  }

  private synchronized void progress(long lived, long lives) {
    if (!json && (lived - told) * 100 >= lives * PROGRESS_EVERY) {
      told = lived;
      say(lived + " of " + lives + " lives");
    }
  }

  private void tell(SimulationRun run) {
    RunTotals totals = run.totals();
    say("");
    for (String name : totals.names()) {
      say(String.format("%14d  %s", totals.count(name), name));
    }
    say(String.format("%14d  median of %s in a life", totals.median(), kind.measure()));
    say("");
    for (String name : run.missing()) {
      say("FAILED: never happened: " + name);
    }
    if (!run.longEnough()) {
      say("FAILED: lives are too short");
    }
    int failed = run.failures().size();
    say(totals.runs() + " lives, " + (failed == 0 ? "everything held" : failed + " failed"));
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

  private void say(String line) {
    Output.println(spec, line);
  }
}
