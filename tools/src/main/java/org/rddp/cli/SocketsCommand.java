package org.rddp.cli;

import picocli.CommandLine.Command;

/**
 * {@code rddp sockets}: listed here, carried out by bin/rddp, so that the program starts without a
 * JVM.
 */
@Command(
    name = "sockets",
    customSynopsis =
        "rddp sockets [--local[=NAME] | --socket PATH] [--interface NAME]"
            + " -- PROGRAM [ARGUMENT]...",
    description = {
      "Run an unmodified program with TCP sockets over rddp.",
      "It connects over rddp to addresses in the networks of the daemon's interfaces where a"
          + " program under rddp sockets listens, and by the kernel to all others.",
      "--local starts a daemon for the program, on this machine only, and ends it afterwards;"
          + " programs with the same NAME share one. Its interfaces are one, 10.0.0.1, and two,"
          + " 10.0.0.2. Without it a daemon has to be running. docs/sockets.md says which programs"
          + " run."
    })
final class SocketsCommand extends ScriptCommand {}
