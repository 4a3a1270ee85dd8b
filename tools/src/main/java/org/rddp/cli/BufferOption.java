package org.rddp.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option {@code --buffer}: size of the ring of a capture or a trace. */
final class BufferOption {
  private static final long LEAST = 4 << 10;
  private static final long LARGEST = 1 << 30;

  @Option(
      names = "--buffer",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "64MiB",
      description =
          "Size of the ring between the daemon and this command, a power of two from 4KiB to 1GiB"
              + " (default: ${DEFAULT-VALUE}).")
  private long octets;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** Throws a usage error if the size is out of range. */
  void check() {
    OptionChecks.require(
        spec,
        Long.bitCount(octets) == 1 && octets >= LEAST && octets <= LARGEST,
        "--buffer is a power of two from 4KiB to 1GiB, not " + octets);
  }

  /** The size in octets. */
  int octets() {
    return (int) octets;
  }
}
