package org.rddp.cli;

import picocli.CommandLine.Command;

/**
 * {@code rddp bench}: listed here, carried out by bin/rddp, since the benchmarks are another
 * module.
 */
@Command(
    name = "bench",
    description = "Compare rddp with other transports: run all benchmarks, or one by name.")
final class BenchCommand extends SourceTreeCommand {}
