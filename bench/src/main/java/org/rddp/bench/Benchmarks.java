package org.rddp.bench;

import java.io.IOException;
import org.rddp.bench.analysis.AnalysisCommand;
import org.rddp.bench.crc.CrcCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code bin/rddp bench}: a benchmark that has a name of its own, or else JMH with the
 * arguments as they are.
 */
@Command(
    name = "rddp bench",
    description =
        "Measures rddp beside its peers. Without one of these names: JMH, with its own options, which -h lists.",
    subcommands = {AnalysisCommand.class, CrcCommand.class})
public final class Benchmarks {
  private Benchmarks() {}

  /** Runs one benchmark and exits with its code. */
  public static void main(String[] arguments) throws IOException {
    CommandLine named = commandLine();
    if (arguments.length == 1 && arguments[0].equals("--help")) {
      named.usage(System.out);
      return;
    }
    if (arguments.length > 0 && named.getSubcommands().containsKey(arguments[0])) {
      System.exit(named.execute(arguments));
    }
    org.openjdk.jmh.Main.main(arguments);
  }

  /** The benchmarks with names of their own, for tests to run with their own output. */
  static CommandLine commandLine() {
    return new CommandLine(new Benchmarks())
        .setExecutionExceptionHandler((failure, command, parsed) -> {
          command.getErr().println("rddp: " + failure.getMessage());
          return 1;
        });
  }
}
