package org.rddp.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.rddp.crc.Crc32c;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
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
      "SIGTERM and Ctrl-C close its connections gracefully and end it; SIGHUP reads users and"
          + " limits again. See docs/rddpd.example.toml for the configuration and"
          + " docs/operations.md."
    })
final class DaemonCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The configuration file (TOML). Default of an installed copy: /etc/rddp/rddpd.toml.")
  private Path file;

  @Option(names = "--check", description = "Only check the configuration and report problems.")
  private boolean checkOnly;

  @Option(
      names = "--devices",
      description = "With --check: also open and close the devices, which must not be in use.")
  private boolean devices;

  @Option(
      names = "--replace",
      description = {
        "Take the place of the daemon that runs at the control socket; it must be of the same user"
            + " and release. Programs go on with this one. If that is not possible, the daemon that"
            + " runs goes on.",
        "With --check: try everything but the rehearsal and the last step; the daemon that runs goes on."
      })
  private boolean replaces;

  @Option(
      names = "--rehearse",
      description =
          "First run the daemon's code over links in its own memory, 20 s at the most: it is ready"
              + " some seconds later, and its first messages take much less time. A daemon that takes"
              + " another one's place always does so.")
  private boolean rehearses;

  @Option(
      names = "--until-eof",
      hidden = true,
      description =
          "End when standard input ends, for example with the process that started the daemon.")
  private boolean untilEof;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (file == null) {
      if (!Main.isInstalled()) {
        throw new ParameterException(
            spec.commandLine(), "Missing required option: '--config=FILE'");
      }
      file = Path.of("/etc/rddp/rddpd.toml");
    }
    ConfigurationFile configured;
    try {
      configured = ConfigurationFile.load(file);
    } catch (ConfigurationException e) {
      throw new ParameterException(
          spec.commandLine(), "the configuration is not valid:\n" + e.getMessage(), e);
    }
    if (devices && !checkOnly) {
      throw new ParameterException(spec.commandLine(), "--devices is an option of --check");
    }
    if (devices && replaces) {
      throw new ParameterException(
          spec.commandLine(), "--check --replace opens the devices without --devices");
    }
    if (rehearses && checkOnly) {
      throw new ParameterException(
          spec.commandLine(), "--rehearse is an option of a daemon that starts, not of --check");
    }
    Crc32c.chosen();
    if (checkOnly) {
      check(configured);
    } else {
      new DaemonRun(file, configured, spec).run(replaces, rehearses, untilEof);
    }
    return 0;
  }

  private void check(ConfigurationFile configured) throws IOException {
    Configuration configuration = configured.configuration();
    DaemonRun run = new DaemonRun(file, configured, spec);
    if (replaces) {
      run.checkReplacement();
      Output.println(spec, "the daemon that runs could be replaced, and goes on");
    }
    List<String> found = devices ? run.check() : List.of();
    found.forEach(line -> Output.println(spec, line));
    String memory = configuration.dpdk().hugepages() ? "wants huge pages" : "in ordinary memory";
    Output.println(spec, file + ": good, " + memory);
  }
}
