package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp setup}: listed here, carried out by bin/rddp, since it must work without Java. */
@Command(name = "setup", description = "Find or install what rddp needs, and build it.")
final class SetupCommand extends SourceTreeCommand {}
