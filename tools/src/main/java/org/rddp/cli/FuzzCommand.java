package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp fuzz}: listed here, carried out by bin/rddp, since the fuzzer needs its own JVM. */
@Command(name = "fuzz", description = "Fuzz TCP, MPA or RDMAP, guided by code coverage.")
final class FuzzCommand extends SourceTreeCommand {}
