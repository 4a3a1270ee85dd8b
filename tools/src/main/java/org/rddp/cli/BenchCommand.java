package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp bench}: listed here, done by bin/rddp, since the benchmarks are another module. */
@Command(
    name = "bench",
    description = "Measure rddp beside its peers: all benchmarks, or one by its name.")
final class BenchCommand extends ScriptCommand {}
