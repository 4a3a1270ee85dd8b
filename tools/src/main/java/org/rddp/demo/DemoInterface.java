package org.rddp.demo;

import java.nio.file.Path;
import java.util.List;

/**
 * An interface of a demonstration's daemon.
 *
 * @param name what programs call it
 * @param device as configurations name it
 * @param address with prefix length
 * @param mtu of the link
 */
record DemoInterface(String name, String device, String address, int mtu) {
  private static final int MEMORY_MEBIBYTES = 256;

  /** The configuration of a daemon. */
  static String configuration(
      Path socket, boolean hugepages, String idle, List<DemoInterface> interfaces) {
    StringBuilder text =
        new StringBuilder(
            """
            [control]
            socket = "%s"
            mode = "0600"
            [dpdk]
            hugepages = %s
            memory = "%dMiB"
            arguments = ["--log-level=warning"]
            [engine]
            idle = "%s"
            """
                .formatted(socket, hugepages, MEMORY_MEBIBYTES, idle));
    for (DemoInterface each : interfaces) {
      text.append(
          """
          [[interface]]
          name = "%s"
          device = "%s"
          address = "%s"
          mtu = %d
          packets = 8192
          """
              .formatted(each.name, each.device, each.address, each.mtu));
    }
    return text.toString();
  }
}
