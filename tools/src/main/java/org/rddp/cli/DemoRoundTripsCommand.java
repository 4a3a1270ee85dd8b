package org.rddp.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.demo.RoundTripRig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp demo-round-trips}: the part of the demo that measures round trips in one process. */
@Command(name = "demo-round-trips", hidden = true, description = "The demo's round trips.")
final class DemoRoundTripsCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      required = true,
      description = "Configuration with two connected interfaces.")
  private Path file;

  @Option(names = "--count", description = "Number of round trips.")
  private int count = 100_000;

  @Option(names = "--size", description = "Size of each write in octets, a multiple of 8.")
  private int size = 64;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    OptionChecks.require(
        spec, size >= 8 && size % 8 == 0, "--size is a multiple of 8, 8 or more, not " + size);
    String result =
        RoundTripRig.measure(ConfigurationFile.read(file), size, count, System.err)
            .toJson()
            .toString();
    Output.println(spec, result);
    return 0;
  }
}
