package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp simulate}: listed here, carried out by bin/rddp with the module lab. */
@Command(
    name = "simulate",
    description =
        "Simulate unreliable networks under virtual time, one run for each seed, and check"
            + " invariants at every step.")
final class SimulateCommand extends SourceTreeCommand {}
