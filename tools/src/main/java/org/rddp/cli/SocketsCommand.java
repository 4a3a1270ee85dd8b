package org.rddp.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code rddp sockets}: listed here, carried out by bin/rddp, so that the program starts without a
 * JVM.
 */
@Command(
    name = "sockets",
    customSynopsis =
        "rddp sockets [--local[=NAME] | --socket PATH] [--interface NAME] [--rule RULE]..."
            + " [--or-kernel] (--explain HOST:PORT | -- PROGRAM [ARGUMENT]...)",
    description = {
      "Run an unmodified program with TCP sockets over rddp.",
      "It connects over rddp to addresses in the networks of the daemon's interfaces, and by the"
          + " kernel to all others; with a rule otherwise. docs/sockets.md says which programs run."
    })
final class SocketsCommand extends PreloadCommand {
  @Option(
      names = "--rule",
      paramLabel = "RULE",
      description =
          "Which way connections take: ADDRESS[/PREFIX][:PORT] ACTION, ACTION being rddp, kernel or"
              + " rddp-or-kernel. May be repeated; the first one that fits decides.")
  List<String> rules;

  @Option(
      names = "--or-kernel",
      description =
          "Where the peer's host answers that nobody listens there over rddp, connect by the"
              + " kernel, but not where the interface requires encryption.")
  boolean orKernel;

  @Option(
      names = "--explain",
      paramLabel = "HOST:PORT",
      description =
          "Say what a connection there becomes, and why, instead of running a program. It tries to"
              + " connect.")
  String explain;
}
