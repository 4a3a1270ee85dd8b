package org.rddp.cli;

import picocli.CommandLine.Option;

/**
 * A command that runs an unmodified program with a library that is preloaded. The script reads the
 * options (bin/setup/preload.sh); here they are for the manual page and for completion.
 */
abstract class PreloadCommand extends ScriptCommand {
  @Option(
      names = "--local",
      arity = "0..1",
      paramLabel = "NAME",
      description =
          "Start a daemon for the program, on this machine only, and end it afterwards; it needs no"
              + " configuration and no privileges. Programs with the same NAME share one. Its"
              + " interfaces are one, 10.0.0.1, and two, 10.0.0.2. Without this option a daemon has"
              + " to be running.")
  String local;

  @Option(
      names = "--interface",
      paramLabel = "NAME",
      description = "The daemon's interface. Default: all of them.")
  String interfaceName;

  @Option(
      names = "--socket",
      paramLabel = "PATH",
      description = "The daemon's socket. Default: $RDDP_SOCKET, or /run/rddp/rddpd.sock.")
  String socket;
}
