package org.rddp.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option {@code --window}: memory for the transfer of files. */
final class WindowOption {
  @Option(
      names = "--window",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "16MiB",
      description =
          "Memory used for the transfer; files may be larger (default: ${DEFAULT-VALUE}).")
  private long octets;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** The size in octets; a usage error if it is out of range. */
  long octets() {
    OptionChecks.require(
        spec, octets >= 4096 && octets <= 1 << 30, "--window is 4KiB to 1GiB, not " + octets);
    return octets;
  }
}
