package org.rddp.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How much memory a transfer of files goes through: the option {@code --window}. */
final class WindowOption {
  @Option(
      names = "--window",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "16MiB",
      description = "Memory for the transfer; files may be longer (default: ${DEFAULT-VALUE}).")
  private long octets;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** Octets; a usage error where they are too few or too many. */
  long octets() {
    OptionChecks.require(
        spec, octets >= 4096 && octets <= 1 << 30, "--window is 4KiB to 1GiB, not " + octets);
    return octets;
  }
}
