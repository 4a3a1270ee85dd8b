package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp test}: listed here, carried out by bin/rddp, since it builds first. */
@Command(name = "test", description = "Build and run every test.")
final class TestCommand extends SourceTreeCommand {}
