package org.rddp.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.rddp.bench.analysis.AnalysisCommand;
import org.rddp.bench.crc.CrcCommand;
import org.rddp.bench.profile.ProfileCommand;
import org.rddp.bench.rates.ConnectionCountBenchmark;
import org.rddp.bench.rates.FairnessBenchmark;
import org.rddp.bench.rates.GoodputBenchmark;
import org.rddp.bench.rates.IdleBenchmark;
import org.rddp.bench.rates.LossBenchmark;
import org.rddp.bench.rates.RateBenchmark;
import org.rddp.bench.rates.SetupBenchmark;
import org.rddp.bench.rates.SteadyBenchmark;
import org.rddp.bench.rtt.RttCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code bin/rddp bench}: one benchmark by its name, all of them without one, JMH with
 * its own options behind the name {@code jmh}, and flame graphs behind {@code profile}.
 */
@Command(
    name = "rddp bench",
    description = {
      "Measures rddp beside its peers: one benchmark by its name, or all of them, into"
          + " docs/benchmarks.md.",
      "'rddp bench jmh' runs those of JMH, with JMH's own options ('rddp bench jmh -h'), and 'rddp"
          + " bench profile' draws flame graphs."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    // In the order in which all of them run.
    subcommands = {
      RttCommand.class,
      GoodputBenchmark.class,
      RateBenchmark.class,
      SteadyBenchmark.class,
      ConnectionCountBenchmark.class,
      LossBenchmark.class,
      FairnessBenchmark.class,
      SetupBenchmark.class,
      IdleBenchmark.class,
      CrcCommand.class,
      AnalysisCommand.class
    })
public final class Benchmarks implements Callable<Integer> {
  private static final String JMH = "jmh";
  private static final String PROFILE = "profile";

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Shorten each; figures are rougher.")
  private boolean quick;

  @Option(names = "--json", description = "Print one JSON object for each, and write nothing.")
  private boolean json;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "The document that all of them go into. Default: docs/benchmarks.md.")
  private Path file;

  private Benchmarks() {}

  /** Runs what is asked for and exits with its code. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length > 0 && arguments[0].equals(JMH)) {
      org.openjdk.jmh.Main.main(
          List.of(arguments).subList(1, arguments.length).toArray(String[]::new));
      return;
    }
    if (arguments.length > 0 && arguments[0].equals(PROFILE)) {
      String[] own = List.of(arguments).subList(1, arguments.length).toArray(String[]::new);
      System.exit(new CommandLine(new ProfileCommand()).execute(own));
    }
    // Charts are drawn where there is no screen.
    System.setProperty("java.awt.headless", "true");
    System.exit(commandLine().execute(arguments));
  }

  /** The benchmarks, for tests to run with their own output. */
  static CommandLine commandLine() {
    return new CommandLine(new Benchmarks())
        .setExecutionExceptionHandler((failure, command, parsed) -> {
          command.getErr().println("rddp: " + failure.getMessage());
          return 1;
        });
  }

  /** All of them, one after the other; 1 when one could not be run. */
  @Override
  public Integer call() throws IOException {
    if (json && file != null) {
      throw new ParameterException(
          spec.commandLine(), "--json prints and --write does not: choose one");
    }
    Path document =
        file != null
            ? file
            : Path.of(System.getProperty("rddp.home", "."), "docs", "benchmarks.md");
    List<String> names = List.copyOf(spec.subcommands().keySet());
    if (!json) {
      NamedBenchmark.summary(spec).check(document);
      for (String name : names) {
        NamedBenchmark.section(name).check(document);
      }
    }
    // Each execution parses the options of this command anew, and forgets them.
    boolean shortened = quick;
    List<String> form = json ? List.of("--json") : List.of("--write", document.toString());
    List<String> failed = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      List<String> left = names.subList(i, names.size());
      say("== " + left.getFirst() + ", " + (i + 1) + " of " + names.size() + left(left, shortened));
      List<String> arguments = new ArrayList<>(List.of(left.getFirst()));
      if (shortened) {
        arguments.add("--quick");
      }
      arguments.addAll(form);
      if (spec.commandLine().execute(arguments.toArray(String[]::new)) != 0) {
        failed.add(left.getFirst());
      }
    }
    if (!failed.isEmpty()) {
      say("rddp: not all could be measured: " + String.join(", ", failed));
    }
    return failed.isEmpty() ? 0 : 1;
  }

  private void say(String words) {
    spec.commandLine().getErr().println(words);
    spec.commandLine().getErr().flush();
  }

  /** How long these may take, in words. */
  private String left(List<String> names, boolean shortened) {
    Duration all = Duration.ZERO;
    for (String name : names) {
      NamedBenchmark benchmark = spec.subcommands().get(name).getCommand();
      all = all.plus(benchmark.budget(shortened));
    }
    return ": at most " + Math.ceilDiv(all.toSeconds(), 60) + " min left";
  }
}
