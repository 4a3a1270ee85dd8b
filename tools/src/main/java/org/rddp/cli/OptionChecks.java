package org.rddp.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks the values of options. */
final class OptionChecks {
  private OptionChecks() {}

  /** Throws a usage error (exit code 2) unless a condition holds. */
  static void require(CommandSpec spec, boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  /** Checks a port number to listen at. */
  static void requirePort(CommandSpec spec, int port) {
    require(spec, port >= 1 && port <= 65535, "--port is 1 to 65535, not " + port);
  }
}
