package org.rddp.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.rddp.bench.analysis.AnalysisCommand;
import org.rddp.bench.harness.ChildProcessCleanup;
import org.rddp.bench.layers.EnginesBenchmark;
import org.rddp.bench.rates.ConnectionCountBenchmark;
import org.rddp.bench.rates.EncryptionBenchmark;
import org.rddp.bench.rates.FairnessBenchmark;
import org.rddp.bench.rates.GoodputBenchmark;
import org.rddp.bench.rates.IdleBenchmark;
import org.rddp.bench.rates.IncastBenchmark;
import org.rddp.bench.rates.LossBenchmark;
import org.rddp.bench.rates.RateBenchmark;
import org.rddp.bench.rates.SetupBenchmark;
import org.rddp.bench.rates.StartBenchmark;
import org.rddp.bench.rates.SteadyBenchmark;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.rtt.LinuxBenchmark;
import org.rddp.bench.rtt.NeighboursBenchmark;
import org.rddp.bench.rtt.NioBenchmark;
import org.rddp.bench.rtt.ReplaceBenchmark;
import org.rddp.bench.rtt.RttCommand;
import org.rddp.bench.rtt.WaitingBenchmark;
import org.rddp.bench.sockets.SocketsBenchmark;
import org.rddp.bench.verbs.VerbsBenchmark;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code bin/rddp bench}: one benchmark by its name, or all of them without one. */
@Command(
    name = "rddp bench",
    description = {
      "Measures rddp beside its peers: one benchmark by its name, which prints its results, or all"
          + " but 'jmh', into docs/benchmarks.md."
    },
    synopsisSubcommandLabel = "[NAME]",
    footer = {
      "",
      "Options of one benchmark: 'rddp bench NAME --help'; most have --quick, --seconds=N, --json"
          + " and --write=FILE."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    // In the order in which all of them run.
    subcommands = {
      RttCommand.class,
      WaitingBenchmark.class,
      NeighboursBenchmark.class,
      GoodputBenchmark.class,
      LinuxBenchmark.class,
      RateBenchmark.class,
      SteadyBenchmark.class,
      ConnectionCountBenchmark.class,
      LossBenchmark.class,
      IncastBenchmark.class,
      FairnessBenchmark.class,
      SetupBenchmark.class,
      StartBenchmark.class,
      ReplaceBenchmark.class,
      IdleBenchmark.class,
      EnginesBenchmark.class,
      EncryptionBenchmark.class,
      VerbsBenchmark.class,
      SocketsBenchmark.class,
      NioBenchmark.class,
      AnalysisCommand.class,
      JmhCommand.class
    })
public final class Benchmarks implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Shorten each; figures are rougher.")
  private boolean quick;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "About how long all may take together; less time means fewer rounds.")
  private Integer seconds;

  @Option(names = "--json", description = "Print one JSON object for each, and write no file.")
  private boolean json;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "The document to put all results into. Default: docs/benchmarks.md.")
  private Path file;

  private Benchmarks() {}

  /** Runs a benchmark, or all of them, and exits with its code. */
  public static void main(String[] arguments) {
    ChildProcessCleanup.installShutdownHook();
    // Charts are drawn where there is no screen.
    System.setProperty("java.awt.headless", "true");
    System.exit(commandLine().execute(arguments));
  }

  /** The benchmarks, for tests to run with their own output. */
  static CommandLine commandLine() {
    CommandLine all =
        new CommandLine(new Benchmarks())
            .setExecutionExceptionHandler((failure, command, parsed) -> {
              command.getErr().println("rddp: " + failure.getMessage());
              return 1;
            })
            .setParameterExceptionHandler(Benchmarks::refuse);
    all.getSubcommands().get("jmh").setUnmatchedOptionsArePositionalParams(true);
    return all;
  }

  private static int refuse(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    command.getErr().println("rddp: " + failure.getMessage());
    if (command.getParent() == null && failure instanceof UnmatchedArgumentException) {
      command
          .getErr()
          .println("There are: " + String.join(", ", command.getSubcommands().keySet()));
    }
    command.getErr().println("Usage: " + command.getCommandSpec().qualifiedName() + " --help");
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** The benchmarks that go into the document, by their names, in their order. */
  static Map<String, NamedBenchmark> named(CommandSpec spec) {
    Map<String, NamedBenchmark> all = new LinkedHashMap<>();
    spec.subcommands()
        .forEach((name, command) -> {
          if (command.getCommand() instanceof NamedBenchmark benchmark) {
            all.put(name, benchmark);
          }
        });
    return all;
  }

  /** Runs all benchmarks, one after the other; returns 1 when one has failed. */
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
    Map<String, NamedBenchmark> all = named(spec);
    List<String> names = List.copyOf(all.keySet());
    if (!json) {
      NamedBenchmark.summary(names).check(document);
      for (String name : names) {
        NamedBenchmark.section(name).check(document);
      }
    }
    Map<String, Duration> budgets = budgets(all);
    // Each execution below parses this command's options again and resets them.
    boolean shortened = quick;
    List<String> form = json ? List.of("--json") : List.of("--write", document.toString());
    List<String> failed = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      List<String> left = names.subList(i, names.size());
      log("== " + left.getFirst() + ", " + (i + 1) + " of " + names.size() + left(left, budgets));
      List<String> arguments = new ArrayList<>(List.of(left.getFirst()));
      if (shortened) {
        arguments.add("--quick");
      }
      arguments.add("--seconds=" + Math.max(1, budgets.get(left.getFirst()).toSeconds()));
      arguments.addAll(form);
      if (spec.commandLine().execute(arguments.toArray(String[]::new)) != 0) {
        failed.add(left.getFirst());
      }
    }
    if (!failed.isEmpty()) {
      log("rddp: not all could be measured: " + String.join(", ", failed));
    }
    return failed.isEmpty() ? 0 : 1;
  }

  private void log(String words) {
    spec.commandLine().getErr().println(words);
    spec.commandLine().getErr().flush();
  }

  /** The time of each benchmark: its own, or its part where {@code --seconds} limits all. */
  private Map<String, Duration> budgets(Map<String, NamedBenchmark> all) {
    Map<String, Duration> budgets = new LinkedHashMap<>();
    all.forEach((name, benchmark) -> budgets.put(name, benchmark.budget(quick)));
    if (seconds != null) {
      long sum = seconds(budgets.values());
      budgets.replaceAll((name, own) -> Duration.ofSeconds(own.toSeconds() * seconds / sum));
    }
    return budgets;
  }

  private static long seconds(Collection<Duration> some) {
    return some.stream().mapToLong(Duration::toSeconds).sum();
  }

  /** How long these may take, for the log. */
  private static String left(List<String> names, Map<String, Duration> budgets) {
    long left = seconds(names.stream().map(budgets::get).toList());
    return ": about " + Math.ceilDiv(left, 60) + " min left";
  }
}
