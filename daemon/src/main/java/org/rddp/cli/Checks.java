package org.rddp.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks that options agree with each other. */
final class Checks {
  private Checks() {}

  /** Refuses the command line, exit code 2, unless a condition holds. */
  static void require(CommandSpec spec, boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
