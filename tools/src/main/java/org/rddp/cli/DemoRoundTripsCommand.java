package org.rddp.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.demo.RoundTripRig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The part of {@code rddp demo} that measures round trips in one process. */
@Command(name = "demo-round-trips", hidden = true, description = "The demonstration's round trips.")
final class DemoRoundTripsCommand implements Callable<Integer> {
  @Option(names = "--config", required = true, description = "Two interfaces, joined.")
  private Path file;

  @Option(names = "--count", description = "Round trips.")
  private int count = 100_000;

  @Option(names = "--size", description = "Octets of each write, a multiple of 8.")
  private int size = 64;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    String result =
        RoundTripRig.measure(ConfigurationFile.read(file), size, count, System.err)
            .toJson()
            .toString();
    spec.commandLine().getOut().println(result);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
