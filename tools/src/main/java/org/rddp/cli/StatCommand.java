package org.rddp.cli;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.rddp.client.CounterReader;
import org.rddp.client.Rddp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp stat}: shows the counters of a running daemon. */
@Command(name = "stat", description = "Show the counters of the running daemon and their rates.")
final class StatCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Seconds between two samples (default: ${DEFAULT-VALUE}).")
  private double interval;

  @Option(names = "--once", description = "Show one sample and end.")
  private boolean once;

  @Option(names = "--all", description = "Show counters that are zero, too.")
  private boolean all;

  @Option(names = "--json", description = "Print one JSON object for each sample.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    OptionChecks.require(
        spec,
        interval >= 0.1 && interval <= 3600,
        "--interval is 0.1 to 3600 seconds, not " + interval);
    try (Rddp daemon = session.open("stat");
        CounterReader counters = daemon.openCounters()) {
      Map<String, Long> before = new TreeMap<>();
      do {
        Map<String, Long> now = new TreeMap<>();
        counters.forEach((name, value) -> {
          if (session.includesCounter(name)) {
            now.put(name, value);
          }
        });
        show(now, before);
        before = now;
        if (spec.commandLine().getOut().checkError()) {
          return Output.READER_ENDED;
        }
        if (!once) {
          TimeUnit.MILLISECONDS.sleep((long) (interval * 1000));
          // Throws if the daemon has ended.
          daemon.poll(completion -> {}, 1);
        }
      } while (!once);
    }
    return 0;
  }

  private void show(Map<String, Long> now, Map<String, Long> before) {
    if (json) {
      JsonObject object = new JsonObject();
      now.forEach(object::addProperty);
      Output.println(spec, object.toString());
      return;
    }
    now.forEach((name, value) -> {
      if (all || value != 0) {
        long more = value - before.getOrDefault(name, value);
        String rate = more == 0 ? "" : String.format("%+,16.0f /s", more / interval);
        Output.println(spec, String.format("%-36s %,20d %s", name, value, rate).stripTrailing());
      }
    });
    if (!once) {
      Output.println(spec, "");
    }
  }
}
