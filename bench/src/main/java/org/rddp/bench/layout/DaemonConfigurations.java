package org.rddp.bench.layout;

import java.nio.file.Path;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.dpdk.Hugepages;

/** Configurations of daemons whose interfaces are joined. */
public final class DaemonConfigurations {
  /** Of the interface whose program measures. */
  static final String NEAR = "10.98.0.1";

  /** Of the other. */
  public static final String FAR = "10.98.0.2";

  @SuppressWarnings("InlineFormatString") // Beside the other part of a configuration.
  private static final String COMMON =
      """
      [control]
      socket = "%s"
      mode = "0600"
      [dpdk]
      hugepages = %s
      memory = "%dMiB"
      arguments = ["--log-level=error"]
      [engine]
      idle = "%s"
      """;

  private static final String INTERFACE =
      """
      [[interface]]
      name = "%s"
      device = "%s"
      address = "%s/24"
      mtu = %d
      packets = 8192
      """;

  /** What a daemon takes, in MiB. */
  private static final long MEMORY = 128;

  private DaemonConfigurations() {}

  /** Whether there are huge pages for a daemon. */
  private static boolean hugepages() {
    return available() >= MEMORY;
  }

  private static long available() {
    return System.getenv("RDDP_NO_HUGEPAGES") == null ? Hugepages.available() >> 20 : 0;
  }

  /** Says what is missing, where there are none for so many daemons. */
  static void requireHugepages(int daemons) throws CannotRunException {
    long needed = daemons * MEMORY;
    long free = available();
    if (free < needed) {
      throw new CannotRunException(
          "needs huge pages: " + needed + " MiB, and " + free + " MiB are free");
    }
  }

  /** One daemon with both ends of a pair of rings, which copy; one engine thread. */
  public static Configuration ring(Path socket, String idle, int mtu)
      throws ConfigurationException {
    return read(
        common(socket, idle)
            + INTERFACE.formatted("near", "ring:rtt", NEAR, mtu)
            + INTERFACE.formatted("far", "ring:rtt", FAR, mtu));
  }

  /** A daemon with one interface, as text. */
  static String one(Path socket, String idle, String name, String device, int mtu) {
    return common(socket, idle)
        + INTERFACE.formatted(name, device, name.equals("near") ? NEAR : FAR, mtu);
  }

  private static String common(Path socket, String idle) {
    return COMMON.formatted(socket, hugepages(), MEMORY, idle);
  }

  private static Configuration read(String text) throws ConfigurationException {
    return ConfigurationFile.parse("rtt", text);
  }
}
