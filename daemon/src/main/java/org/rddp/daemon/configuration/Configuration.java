package org.rddp.daemon.configuration;

import java.nio.file.Path;
import java.util.List;

/**
 * The configuration of {@code rddpd}.
 *
 * @param control who may connect, where, and how the daemon ends
 * @param dpdk settings of DPDK
 * @param engine the threads for the interfaces
 * @param limits limits for programs
 * @param metrics where metrics are served over HTTP
 * @param interfaces the interfaces, at least one
 * @param log the log
 */
public record Configuration(
    ControlConfiguration control,
    DpdkConfiguration dpdk,
    EngineConfiguration engine,
    Limits limits,
    MetricsConfiguration metrics,
    List<InterfaceConfiguration> interfaces,
    LogConfiguration log) {
  /** Copies the list. */
  public Configuration {
    interfaces = List.copyOf(interfaces);
  }

  /** Path of the control socket. */
  public Path controlSocket() {
    return control.socket();
  }
}
