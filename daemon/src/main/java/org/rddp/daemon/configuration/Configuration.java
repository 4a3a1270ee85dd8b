package org.rddp.daemon.configuration;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
 * @param keys what each key means, missing ones included, by full key such as {@code limits.memory}
 *     or {@code interface[1].mtu}
 */
public record Configuration(
    ControlConfiguration control,
    DpdkConfiguration dpdk,
    EngineConfiguration engine,
    Limits limits,
    MetricsConfiguration metrics,
    List<InterfaceConfiguration> interfaces,
    LogConfiguration log,
    Map<String, ConfigurationValue> keys) {
  /** Copies the list. */
  public Configuration {
    interfaces = List.copyOf(interfaces);
    keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
  }

  /** Copies the configuration with what SIGHUP applies of another. */
  public Configuration applied(Configuration next) {
    Map<String, ConfigurationValue> applied = new LinkedHashMap<>(keys);
    applied.replaceAll((key, value) -> value.live() ? next.keys.get(key) : value);
    return new Configuration(
        control.applied(next.control),
        dpdk,
        engine,
        limits.applied(next.limits),
        metrics,
        interfaces,
        log.applied(next.log),
        applied);
  }

  /** Path of the control socket. */
  public Path controlSocket() {
    return control.socket();
  }
}
