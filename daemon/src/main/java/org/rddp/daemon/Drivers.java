package org.rddp.daemon;

import java.util.List;
import org.rddp.daemon.configuration.Suggestion;

/** DPDK's drivers of virtual devices that rddp has been tried with (docs/dpdk.md). */
final class Drivers {
  private static final List<String> TRIED =
      List.of(
          "net_af_packet",
          "net_memif",
          "net_null",
          "net_pcap",
          "net_tap",
          "net_vhost",
          "net_virtio_user");

  private Drivers() {}

  /** "did you mean net_vhost?", or the drivers if none has a similar name. */
  static String suggestion(String driver) {
    return Suggestion.among(driver, TRIED);
  }
}
