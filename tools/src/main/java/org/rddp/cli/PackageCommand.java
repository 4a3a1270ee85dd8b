package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp package}: listed here, carried out by bin/rddp, since it builds first. */
@Command(
    name = "package",
    description = "Build a tarball and a package of rddp, or an image for containers.")
final class PackageCommand extends SourceTreeCommand {}
