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
          + " program under rddp sockets listens, and by the kernel to all others. docs/sockets.md"
          + " says which programs run."
    })
final class SocketsCommand extends PreloadCommand {}
