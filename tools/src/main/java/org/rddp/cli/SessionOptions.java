package org.rddp.cli;

import java.nio.file.Path;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import picocli.CommandLine.Option;

/** Which daemon a command uses: the options of every command that is a program of one. */
final class SessionOptions {
  @Option(
      names = "--socket",
      paramLabel = "PATH",
      description =
          "The daemon's control socket; $RDDP_SOCKET or /run/rddp/rddpd.sock if left out.")
  private Path socket = Rddp.defaultSocket();

  @Option(
      names = "--interface",
      paramLabel = "NAME",
      description = "The daemon's interface; its first if left out.")
  private String interfaceName = "";

  /** Opens a session under the command's name. */
  Rddp open(String command) {
    return Rddp.connect(
        socket,
        RddpOptions.defaults().withInterfaceName(interfaceName).withProgramName("rddp " + command));
  }

  /** Whether a counter is the chosen interface's; without a choice all are. */
  boolean includesCounter(String counter) {
    return interfaceName.isEmpty() || counter.startsWith(interfaceName + ".");
  }
}
