package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp fuzz}: listed here, done by bin/rddp, since the fuzzer has a JVM of its own. */
@Command(
    name = "fuzz",
    description = "Look for what breaks MPA or TCP, by a fuzzer that watches coverage.")
final class FuzzCommand extends ScriptCommand {}
