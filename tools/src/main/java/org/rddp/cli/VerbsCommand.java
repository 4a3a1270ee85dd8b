package org.rddp.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code rddp verbs}: listed here, carried out by bin/rddp, so that the program starts without a
 * JVM.
 */
@Command(
    name = "verbs",
    customSynopsis =
        "rddp verbs [--local[=NAME] | --socket PATH] [--interface NAME] [--as KIND] [--sysfs]"
            + " -- PROGRAM [ARGUMENT]...",
    description = {
      "Run an unmodified RDMA program (libibverbs, librdmacm) over rddp.",
      "docs/verbs.md says which programs run."
    })
final class VerbsCommand extends PreloadCommand {
  @Option(
      names = "--as",
      paramLabel = "KIND",
      description =
          "What kind of device the program sees: iwarp, the default, or roce, for programs that"
              + " refuse iWARP.")
  String kind;

  @Option(
      names = "--sysfs",
      description =
          "Show the devices in /sys/class/infiniband and /dev/infiniband, for programs that look"
              + " for them there.")
  boolean sysfs;
}
