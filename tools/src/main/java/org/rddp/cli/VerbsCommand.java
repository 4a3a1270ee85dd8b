package org.rddp.cli;

import picocli.CommandLine.Command;

/**
 * {@code rddp verbs}: listed here, carried out by bin/rddp, so that no JVM stands before the
 * program.
 */
@Command(
    name = "verbs",
    description = "Run an unmodified RDMA program (libibverbs, librdmacm) over the daemon.")
final class VerbsCommand extends ScriptCommand {}
