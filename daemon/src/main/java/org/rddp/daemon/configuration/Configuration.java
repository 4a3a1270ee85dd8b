package org.rddp.daemon.configuration;

import java.nio.file.Path;
import java.util.List;

/**
 * The configuration of {@code rddpd}.
 *
 * @param controlSocket path of the control socket
 * @param controlMode the socket's permission bits, such as 0660
 * @param users ids of the users who may connect besides root and the daemon's own user; empty: all
 *     users that the socket's mode admits
 * @param dpdk settings of DPDK
 * @param engines number of threads for the interfaces
 * @param idleMode behaviour of these threads when idle
 * @param limits limits for programs
 * @param metrics where metrics are served over HTTP
 * @param interfaces the interfaces, at least one
 */
public record Configuration(
    Path controlSocket,
    int controlMode,
    List<Integer> users,
    DpdkConfiguration dpdk,
    EngineThreads engines,
    IdleMode idleMode,
    Limits limits,
    MetricsConfiguration metrics,
    List<InterfaceConfiguration> interfaces) {
  /** Copies the lists. */
  public Configuration {
    users = List.copyOf(users);
    interfaces = List.copyOf(interfaces);
  }
}
