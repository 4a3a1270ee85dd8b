package org.rddp.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.rddp.crc.Crc32c;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.Ipv4Text;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rddp daemon}: runs rddpd until it is stopped. */
@Command(
    name = "daemon",
    description = {
      "Run the daemon, which owns the DPDK ports and serves the programs of this machine.",
      "SIGTERM and Ctrl-C close its connections gracefully and end it. See docs/rddpd.example.toml"
          + " for the configuration."
    })
final class DaemonCommand implements Callable<Integer> {
  /** The first word of the line printed when programs can connect. */
  static final String READY = "ready:";

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The configuration file (TOML).")
  private Path file;

  @Option(names = "--check", description = "Only check the configuration and report problems.")
  private boolean checkOnly;

  @Option(
      names = "--until-eof",
      hidden = true,
      description =
          "End when standard input ends, for example with the process that started the daemon.")
  private boolean untilEof;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Configuration configuration;
    try {
      configuration = ConfigurationFile.read(file);
    } catch (ConfigurationException e) {
      throw new ParameterException(
          spec.commandLine(), "the configuration is not valid:\n" + e.getMessage(), e);
    }
    Crc32c.chosen();
    if (checkOnly) {
      String memory = configuration.dpdk().hugepages() ? "wants huge pages" : "in ordinary memory";
      Output.println(spec, file + ": good, " + memory);
      return 0;
    }
    run(configuration);
    return 0;
  }

  private void run(Configuration configuration) throws IOException {
    Daemon daemon;
    try {
      daemon = Daemon.start(configuration, DpdkPorts.open(configuration), System.err);
    } catch (FileAlreadyExistsException e) {
      throw new CommandFailedException(e.getFile() + ": " + e.getReason(), e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(daemon), "rddp-end"));
    Output.println(spec, READY + " " + describe(configuration));
    if (untilEof) {
      waitForEof();
      System.exit(0);
    }
    Throwable lost = awaitEnd(daemon);
    if (lost != null) {
      throw new CommandFailedException(
          "the daemon has ended because of an internal error: " + lost, lost);
    }
  }

  /** A signal would end the JVM with an exit code of 128 or more; a graceful end is success. */
  private static void end(Daemon daemon) {
    daemon.close();
    Runtime.getRuntime().halt(awaitEnd(daemon) == null ? 0 : 1);
  }

  private static String describe(Configuration configuration) {
    StringBuilder text = new StringBuilder("programs connect at " + configuration.controlSocket());
    for (InterfaceConfiguration each : configuration.interfaces()) {
      text.append(", interface ")
          .append(each.name())
          .append(" is ")
          .append(Ipv4Text.format(each.address()))
          .append(" on ")
          .append(each.device());
    }
    return text.toString();
  }

  private static void waitForEof() {
    try {
      while (System.in.read() >= 0) {
        // Only the end of the input matters.
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Throwable awaitEnd(Daemon daemon) {
    try {
      return daemon.awaitEnd();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
