package org.rddp.daemon.configuration;

import java.util.List;

/**
 * Settings for starting DPDK's environment abstraction layer (EAL).
 *
 * @param hugepages whether DPDK's memory uses huge pages
 * @param memory size of DPDK's memory in octets, a multiple of 1 MiB
 * @param arguments further EAL arguments, as rte_eal_init takes them
 */
public record DpdkConfiguration(boolean hugepages, long memory, List<String> arguments) {
  private static final long MIB = 1 << 20;

  /** Copies the list. */
  public DpdkConfiguration {
    arguments = List.copyOf(arguments);
  }

  /** Reads the {@code [dpdk]} of a configuration file. */
  static DpdkConfiguration read(TomlSection section) {
    DpdkConfiguration read =
        new DpdkConfiguration(
            section.flag("hugepages", true),
            section.octets("memory", 64 * MIB, 1L << 40, 512 * MIB),
            section.strings("arguments", List.of()));
    if (read.memory % MIB != 0) {
      section.refuse("memory", "is not a multiple of 1 MiB", "whole MiB");
    }
    section.refuseUnknownKeys();
    return read;
  }
}
