package org.rddp.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.perf.BandwidthReport;
import org.rddp.perf.BandwidthResult;
import org.rddp.perf.LatencyReport;
import org.rddp.perf.LatencyResult;
import org.rddp.perf.PerfException;
import org.rddp.perf.PerfFiles;
import org.rddp.perf.PerfRun;
import org.rddp.perf.PerfSettings;
import org.rddp.perf.PerfSettings.Test;
import org.rddp.perf.Verb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp perf}: latency and throughput of operations, with {@code rddp echo} as server. */
@Command(
    name = "perf",
    description = {
      "Measure the latency or the throughput of an operation between this host and 'rddp echo'.",
      "Options and columns are named as in perftest (ib_write_lat, ib_read_bw and so on). Ctrl-C"
          + " ends the measurement and prints what there is."
    })
final class PerfCommand implements Callable<Integer> {
  private static final String HALF = "half round trips";
  private static final String FULL = "full round trips";

  @Mixin private SessionOptions session;

  @Parameters(paramLabel = "lat|bw", description = "Latency or throughput (bandwidth).")
  private Test test;

  @Parameters(
      paramLabel = "write|read|send|atomic",
      description = "The operation: RDMA Write, RDMA Read, Send, or Fetch and Add.")
  private Verb verb;

  @Parameters(paramLabel = "ADDRESS:PORT", description = "Address of the echo server.")
  private RemoteAddress target;

  @Mixin private PerfOptions options;

  @Option(names = "--json", description = "Print one JSON object, with units in the keys.")
  private boolean json;

  @Option(
      names = "--write",
      paramLabel = "FOLDER",
      description =
          "Write into this folder: the results as JSON, a plot as PNG, and the percentiles of each"
              + " size as a .hgrm file of HdrHistogram.")
  private Path folder;

  @Spec private CommandSpec spec;

  private final JsonArray results = new JsonArray();
  private LatencyReport latencies;
  private PerfFiles files;

  @Override
  public Integer call() {
    List<Integer> sizes = options.sizes(test, verb);
    PerfSettings settings = options.settings(test, verb);
    OptionChecks.require(
        spec, folder == null || Files.isDirectory(folder), "there is no directory " + folder);
    latencies = new LatencyReport(settings.halves());
    files = new PerfFiles(folder, settings);
    InterruptedRun interrupted = new InterruptedRun();
    try (interrupted;
        Rddp daemon = session.open("perf", target)) {
      PerfRun run = new PerfRun(daemon, target.host(), settings, sizes, interrupted.signal());
      if (!json) {
        Output.println(spec, describe(settings));
        Output.println(
            spec, test == Test.LAT ? LatencyReport.heading() : BandwidthReport.heading());
      }
      try {
        for (int size : sizes) {
          if (!interrupted.signal().isRequested()) {
            measure(run, settings, size);
          }
        }
      } finally {
        finish(toJson(settings, run));
      }
    } catch (PerfException e) {
      throw new CommandFailedException(e.getMessage(), e);
    }
    return 0;
  }

  private void measure(PerfRun run, PerfSettings settings, int size) {
    if (test == Test.LAT) {
      LatencyResult result = run.latency(size);
      files.add(result);
      add(latencies.json(result), settings);
      print(latencies.line(result));
      if (result.unsent() > 0) {
        print(result.unsent() + " operations were due and could not be sent in time");
      }
    } else {
      BandwidthResult result = run.bandwidth(size);
      files.add(result);
      add(BandwidthReport.json(result), settings);
      print(BandwidthReport.line(result));
    }
  }

  private void add(JsonObject result, PerfSettings settings) {
    result.addProperty("signal_every", settings.signalEvery(result.get("size_octets").getAsInt()));
    results.add(result);
  }

  private void finish(JsonObject all) {
    if (json) {
      Output.println(spec, all.toString());
    }
    if (folder != null) {
      try {
        files.write(all);
      } catch (IOException e) {
        throw new CommandFailedException("cannot write into " + folder + ": " + e.getMessage(), e);
      }
    }
  }

  private void print(String line) {
    if (!json) {
      Output.println(spec, line);
    }
  }

  private String describe(PerfSettings settings) {
    String loop =
        settings.openLoop() ? "open loop, %.0f/s".formatted(settings.rate()) : "closed loop";
    String what =
        test == Test.LAT
            ? "latency of %s: %s".formatted(verb.title(), settings.halves() ? HALF : FULL)
            : "throughput of %s%s"
                .formatted(verb.title(), settings.bidirectional() ? ", both directions" : "");
    return "%s, %s, %d outstanding, %d connections, %s, server %s"
        .formatted(
            what,
            loop,
            settings.outstanding(),
            settings.connections(),
            settings.waiting().title(),
            target);
  }

  private JsonObject toJson(PerfSettings settings, PerfRun run) {
    JsonObject all = new JsonObject();
    all.addProperty("test", name(test));
    all.addProperty("operation", name(verb));
    all.addProperty("server", target.toString());
    if (test == Test.LAT) {
      all.addProperty("round_trip", settings.halves() ? "half" : "full");
    }
    all.addProperty("loop", settings.openLoop() ? "open" : "closed");
    if (settings.openLoop()) {
      all.addProperty("intended_rate_per_s", settings.rate());
    }
    all.addProperty("outstanding", settings.outstanding());
    all.addProperty("ord", run.ord());
    all.addProperty("connections", settings.connections());
    all.addProperty("bidirectional", settings.bidirectional());
    all.addProperty("inline_octets", settings.inlineOctets());
    all.addProperty("waiting", name(settings.waiting()));
    all.add("results", results);
    return all;
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
