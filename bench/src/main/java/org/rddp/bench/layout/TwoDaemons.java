package org.rddp.bench.layout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.rtt.RddpRig;
import org.rddp.client.Rddp;
import org.rddp.dpdk.Eal;

/**
 * The second layout: two daemons, each a process of its own, joined by net_vhost and
 * net_virtio_user, and a program's session on each. Their engines back off, since three busy
 * threads must take turns where there are two cores.
 */
public final class TwoDaemons implements AutoCloseable {
  /** To be said of figures, where it is so. */
  public static final String WITH_TWO_CORES =
      Runtime.getRuntime().availableProcessors() < 3
          ? " With two daemons three threads that poll take turns on two cores: those figures are"
              + " how long the kernel lets each of them have one, not what rddp takes."
          : "";

  private static final String MAIN = "org.rddp.cli.Main";
  private static final long PATIENCE = 3;

  private final List<Process> daemons = new ArrayList<>();
  private final Path folder;
  private Rddp near;
  private Rddp far;

  /**
   * Starts them.
   *
   * @param mtu of the link
   * @throws CannotRunException where there are no huge pages
   * @throws IOException when a daemon does not start
   */
  public TwoDaemons(int mtu) throws CannotRunException, IOException {
    DaemonConfigurations.requireHugepages(2);
    folder = Files.createTempDirectory("rddp-two");
    String link = folder.resolve("link.sock").toString();
    try {
      start("far", "net_vhost0,iface=" + link + ",queues=1", mtu);
      start("near", "net_virtio_user0,path=" + link + ",queues=1,packed_vq=1", mtu);
      near = RddpRig.session(folder.resolve("near.sock"), "near");
      far = RddpRig.session(folder.resolve("far.sock"), "far");
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Starts a daemon and waits until it is ready. */
  private void start(String name, String device, int mtu) throws IOException {
    Path configuration = folder.resolve(name + ".toml");
    Files.writeString(
        configuration,
        DaemonConfigurations.one(folder.resolve(name + ".sock"), "backoff", name, device, mtu));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN));
    command.addAll(List.of("daemon", "--config", configuration.toString(), "--until-eof"));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    daemons.add(process);
    BufferedReader said =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = said.readLine();
    while (line != null && !line.startsWith("ready:")) {
      line = said.readLine();
    }
    if (line == null) {
      throw new IOException("the daemon '" + name + "' has ended");
    }
  }

  /** The program that connects. */
  public Rddp near() {
    return near;
  }

  /** The program that listens. */
  public Rddp far() {
    return far;
  }

  /** Where the second program listens, at a port. */
  public static InetSocketAddress address(int port) {
    return new InetSocketAddress(DaemonConfigurations.FAR, port);
  }

  /** CPU time of both daemons in ns. */
  public long cpuNanos() {
    long nanos = 0;
    for (Process each : daemons) {
      nanos += each.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }
    return nanos;
  }

  @Override
  public void close() throws IOException {
    if (near != null) {
      near.close();
    }
    if (far != null) {
      far.close();
    }
    for (Process daemon : daemons.reversed()) {
      daemon.getOutputStream().close();
      end(daemon);
      Eal.removeLeftovers(daemon.pid());
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }

  private static void end(Process daemon) {
    try {
      if (!daemon.waitFor(PATIENCE, TimeUnit.SECONDS)) {
        daemon.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      daemon.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
