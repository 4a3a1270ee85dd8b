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
  /** Copies the list. */
  public DpdkConfiguration {
    arguments = List.copyOf(arguments);
  }
}
