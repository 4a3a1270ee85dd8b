package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp soak}: listed here, carried out by bin/rddp with the module lab. */
@Command(
    name = "soak",
    description =
        "Run a daemon under programs that transfer, misbehave, are stopped and killed; kill and"
            + " restart the daemon, too.")
final class SoakCommand extends SourceTreeCommand {}
