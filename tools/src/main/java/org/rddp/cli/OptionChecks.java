package org.rddp.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks that options agree with each other. */
final class OptionChecks {
  private OptionChecks() {}

  /** Refuses the command line, exit code 2, unless a condition holds. */
  static void require(CommandSpec spec, boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  /** A port to listen at. */
  static void requirePort(CommandSpec spec, int port) {
    require(spec, port >= 1 && port <= 65535, "--port is 1 to 65535, not " + port);
  }
}
