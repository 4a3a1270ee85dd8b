package org.rddp.lab;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.rddp.cli.CommandFailedException;
import org.rddp.cli.OptionChecks;
import org.rddp.cli.Output;
import org.rddp.soak.Soak;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp soak}: looks for leaks of a daemon under programs that end in every way. */
@Command(
    name = "soak",
    description = {
      "Run a daemon under programs that transfer, misbehave, are stopped and killed; kill,"
          + " restart and replace the daemon, too.",
      "From time to time all programs end. Then every octet must have been verified, and the"
          + " daemon must hold no packet, descriptor, region or memory of theirs."
    })
final class SoakCommand implements Callable<Integer> {
  @Option(
      names = "--minutes",
      paramLabel = "MINUTES",
      defaultValue = "5",
      description = "How long, 0.1 to 10000; fractions are allowed (default: ${DEFAULT-VALUE}).")
  private double minutes;

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description = "Seed that decides what happens (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--replacements",
      description =
          "Nothing happens but that daemons replace each other, and one of two is killed meanwhile.")
  private boolean replacements;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    OptionChecks.require(
        spec, minutes >= 0.1 && minutes <= 10_000, "--minutes is 0.1 to 10000, not " + minutes);
    try (Soak soak = new Soak(seed, replacements, line -> Output.println(spec, line))) {
      List<String> problems = soak.run(Duration.ofMillis((long) (minutes * 60_000)));
      soak.summary().forEach(line -> Output.println(spec, line));
      if (!problems.isEmpty()) {
        throw new CommandFailedException(
            "the soak with --seed " + seed + " found:\n  " + String.join("\n  ", problems));
      }
      Output.println(spec, "nothing leaked");
      return 0;
    }
  }
}
