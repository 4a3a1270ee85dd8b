package org.rddp.cli;

import picocli.CommandLine.Command;

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
      "--local starts a daemon for the program, on this machine only, and ends it afterwards;"
          + " programs with the same NAME share one. Its interfaces are one, 10.0.0.1, and two,"
          + " 10.0.0.2. Without it a daemon has to be running. docs/verbs.md says which programs"
          + " run.",
      "--as roce shows the program a device of RoCE instead of iWARP, for those that refuse the"
          + " latter.",
      "--sysfs shows the devices in /sys/class/infiniband and /dev/infiniband, for programs that"
          + " look for them there."
    })
final class VerbsCommand extends ScriptCommand {}
