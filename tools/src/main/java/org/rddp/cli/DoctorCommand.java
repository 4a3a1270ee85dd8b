package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp doctor}: listed here, carried out by bin/rddp, since it must work without Java. */
@Command(
    name = "doctor",
    description =
        "List what this machine has (JDK, DPDK, huge pages, ...) and how to fix what is missing.")
final class DoctorCommand extends ScriptCommand {}
