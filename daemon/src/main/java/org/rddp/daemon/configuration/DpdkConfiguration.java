package org.rddp.daemon.configuration;

import java.util.List;

/**
 * How DPDK's environment is started.
 *
 * @param hugepages whether its memory is of huge pages
 * @param memory octets of it, a multiple of 1 MiB
 * @param arguments further EAL arguments, as rte_eal_init takes them
 */
public record DpdkConfiguration(boolean hugepages, long memory, List<String> arguments) {
  /** Copies the list. */
  public DpdkConfiguration {
    arguments = List.copyOf(arguments);
  }
}
