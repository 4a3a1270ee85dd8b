package org.rddp.cli;

import picocli.CommandLine.Command;

/** {@code rddp doctor}: listed here, done by bin/rddp, since it must work without Java. */
@Command(
    name = "doctor",
    description = "List what this machine has (JDK, DPDK, hugepages, ...) and how to fix the rest.")
final class DoctorCommand extends ScriptCommand {}
