package org.rddp.demo;

import java.nio.file.Path;
import java.util.List;
import org.rddp.rig.ConfigurationText;

/**
 * An interface of a daemon of the demonstration.
 *
 * @param name what programs call it
 * @param device as configurations name it
 * @param addresses with prefix length; the demonstration uses IPv6 where there is an IPv6 address
 * @param mtu of the link
 */
record DemoInterface(String name, String device, List<String> addresses, int mtu) {
  private static final int MEBIBYTES = 256;

  /** The configuration of a daemon. */
  static ConfigurationText configuration(
      Path socket, boolean hugepages, List<DemoInterface> interfaces) {
    ConfigurationText text =
        new ConfigurationText().control(socket).dpdk(MEBIBYTES, hugepages, "warning");
    for (DemoInterface each : interfaces) {
      text.port(each.name, each.device, each.addresses, "mtu", each.mtu, "packets", 8192);
    }
    return text;
  }
}
