package org.rddp.daemon.configuration;

import java.nio.file.Path;
import java.util.List;

/**
 * Everything that {@code rddpd} is told when it starts.
 *
 * @param controlSocket where programs reach the daemon
 * @param controlMode the socket's permission bits, such as 0660
 * @param users numbers of the users who may connect besides root and the daemon's own; empty: all
 *     whom the socket's mode admits
 * @param dpdk how DPDK is started
 * @param engines how many threads drive the ports
 * @param idleMode what they do when there is nothing to do
 * @param limits how much programs may take
 * @param interfaces the ports, at least one
 */
public record Configuration(
    Path controlSocket,
    int controlMode,
    List<Integer> users,
    DpdkConfiguration dpdk,
    EngineThreads engines,
    IdleMode idleMode,
    Limits limits,
    List<InterfaceConfiguration> interfaces) {
  /** Copies the lists. */
  public Configuration {
    users = List.copyOf(users);
    interfaces = List.copyOf(interfaces);
  }
}
