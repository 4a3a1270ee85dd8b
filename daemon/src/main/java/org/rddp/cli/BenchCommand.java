package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp bench}: listed here, done by bin/rddp, since the benchmarks are another module. */
@Command(
    name = "bench",
    description = "Measure CRC32c (crc) or MPA over TCP (analysis), or run JMH benchmarks.")
final class BenchCommand extends ShellCommand {}
