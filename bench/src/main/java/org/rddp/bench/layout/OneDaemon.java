package org.rddp.bench.layout;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.link.LinkHandle;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.Ports;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.dpdk.DpdkException;
import org.rddp.dpdk.Hugepages;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedPorts;

/**
 * The layout of two cores: a daemon in this process with two interfaces joined by a pair of rings
 * that copies, both engines on one pinned thread, and two programs for the thread that opened it,
 * pinned to another core.
 */
public final class OneDaemon implements AutoCloseable {
  /** Where the second program listens. */
  static final InetSocketAddress ADDRESS = new InetSocketAddress("10.77.0.2", 7);

  private static final String NEAR = "near";
  private static final String FAR = "far";
  private static final String ENGINE = "rddp-engine";
  private static final long MEMORY = 192L << 20;

  private static final String HEAD =
      """
      [control]
      socket = "SOCKET"
      [dpdk]
      hugepages = ASKED
      memory = "192MiB"
      arguments = ["--log-level=error"]
      [engine]
      idle = "spin"
      [limits]
      session-connections = CONNECTIONS
      send-queue = 256
      requests = 1024
      completions = 1024
      """;

  private static final String INTERFACE =
      """
      [[interface]]
      name = "NAME"
      device = "DEVICE"
      address = "ADDRESS/24"
      mtu = MTU
      packets = PACKETS
      connections = MOST
      [interface.tcp]
      peer-connections = MOST
      backlog = 4096
      peer-backlog = 4096
      receive-buffer = "BUFFER"
      [interface.mpa]
      crc = CRC
      markers = MARKERS
      packing = PACKING
      startups = 4096
      """;

  private final Path directory;
  private final Daemon daemon;
  private final Rddp near;
  private final Rddp far;
  private final long engineThread;

  /**
   * Starts it. CRCs are as quick as they will be when the warm-up has ended.
   *
   * @param arguments mtu (1500), crc (true), markers and packing (false), connections (16); a
   *     {@link LinkHandle}, where that is to join the interfaces instead of rings
   * @throws CannotRunException when DPDK cannot be started
   */
  public OneDaemon(JsonObject arguments)
      throws CannotRunException, IOException, InterruptedException {
    int[] cpus = Affinity.allowed();
    directory = Files.createTempDirectory("rddp-bench");
    try {
      Configuration configuration = configuration(directory.resolve("rddpd.sock"), arguments);
      Ports ports = new PinnedPorts(open(configuration, arguments), cpus[0]);
      daemon = Daemon.start(configuration, ports, System.err);
      near = session(configuration, 0);
      far = session(configuration, 1);
    } catch (DpdkException | ConfigurationException e) {
      throw new CannotRunException(e.getMessage());
    }
    Affinity.pin(cpus[cpus.length - 1]);
    engineThread = thread(ENGINE).threadId();
  }

  private static DpdkPorts open(Configuration configuration, JsonObject arguments) {
    if (!LinkHandle.isIn(arguments)) {
      return DpdkPorts.open(configuration);
    }
    LinkHandle link = LinkHandle.of(arguments);
    return DpdkPorts.open(configuration, each -> link.enter(each.name().equals(NEAR)));
  }

  private static Configuration configuration(Path socket, JsonObject arguments)
      throws ConfigurationException {
    int connections = Math.max(16, integer(arguments, "connections", 16));
    boolean joined = LinkHandle.isIn(arguments);
    StringBuilder text = new StringBuilder();
    text.append(
        HEAD.replace("SOCKET", socket.toString())
            .replace("ASKED", Boolean.toString(Hugepages.available() >= MEMORY))
            .replace("CONNECTIONS", Integer.toString(connections)));
    String link =
        INTERFACE
            .replace("MTU", Integer.toString(integer(arguments, "mtu", 1500)))
            .replace("MOST", Integer.toString(2 * connections))
            .replace("PACKETS", joined ? "8192" : "4096")
            .replace("BUFFER", joined ? "4MiB" : "1MiB")
            .replace("CRC", Boolean.toString(flag(arguments, "crc", true)))
            .replace("MARKERS", Boolean.toString(flag(arguments, "markers", false)))
            .replace("PACKING", Boolean.toString(flag(arguments, "packing", false)));
    String[] names = {NEAR, FAR};
    for (int i = 0; i < names.length; i++) {
      text.append(
          link.replace("NAME", names[i])
              .replace("DEVICE", joined ? LinkHandle.device(names[i]) : "ring:bench")
              .replace("ADDRESS", "10.77.0." + (i + 1)));
    }
    return ConfigurationFile.parse("bench", text.toString());
  }

  private static int integer(JsonObject arguments, String name, int otherwise) {
    return arguments.has(name) ? arguments.get(name).getAsInt() : otherwise;
  }

  private static boolean flag(JsonObject arguments, String name, boolean otherwise) {
    return arguments.has(name) ? arguments.get(name).getAsBoolean() : otherwise;
  }

  private static Rddp session(Configuration configuration, int index) {
    return Rddp.connect(
        configuration.controlSocket(),
        RddpOptions.defaults()
            .withInterfaceName(configuration.interfaces().get(index).name())
            .withProgramName("bench"));
  }

  private static Thread thread(String name) {
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if (each.getName().equals(name)) {
        return each;
      }
    }
    return null;
  }

  /** The program that connects. */
  public Rddp near() {
    return near;
  }

  /** The program that listens. */
  public Rddp far() {
    return far;
  }

  /** The daemon, for its counters. */
  Daemon daemon() {
    return daemon;
  }

  /** The engines' thread. */
  public long engineThread() {
    return engineThread;
  }

  @Override
  public void close() throws IOException {
    near.close();
    far.close();
    daemon.close();
    Files.deleteIfExists(directory);
  }
}
