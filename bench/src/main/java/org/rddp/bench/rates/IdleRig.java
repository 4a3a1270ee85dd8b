package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.cli.Main;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.dpdk.Hugepages;

/**
 * A daemon in a process of its own to which one program is connected that does nothing. Argument:
 * {@code idle}, as in its configuration. A task says {@code millis}; a sample has {@code cpu}, the
 * share of a core that it uses, {@code resident_octets}, and {@code start_ms}, from its start until
 * the program was connected.
 */
public final class IdleRig implements Rig {
  private static final long MEMORY = 128L << 20;
  private static final int SETTLED = 3000;
  private static final double KIBIBYTE = 1024;

  private static final String CONFIGURATION =
      """
      [control]
      socket = "SOCKET"
      [dpdk]
      hugepages = ASKED
      memory = "128MiB"
      arguments = ["--log-level=error"]
      [engine]
      idle = "IDLE"
      [[interface]]
      name = "one"
      device = "ring:idle"
      address = "10.77.0.1/24"
      packets = 4096
      [[interface]]
      name = "two"
      device = "ring:idle"
      address = "10.77.0.2/24"
      packets = 4096
      """;

  private Path directory;
  private Process daemon;
  private Rddp session;
  private double startMillis;

  /** For its process. */
  public IdleRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    directory = Files.createTempDirectory("rddp-idle");
    Path socket = directory.resolve("rddpd.sock");
    Path file = directory.resolve("rddpd.toml");
    boolean hugepages = Hugepages.available() >= MEMORY;
    String idle = arguments.get("idle").getAsString();
    Files.writeString(
        file,
        CONFIGURATION
            .replace("SOCKET", socket.toString())
            .replace("ASKED", Boolean.toString(hugepages))
            .replace("IDLE", idle));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("daemon", "--until-eof", "--config", file.toString()));
    long began = System.nanoTime();
    daemon = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    awaitReady();
    session =
        Rddp.connect(
            socket, RddpOptions.defaults().withInterfaceName("one").withProgramName("idle"));
    startMillis = (System.nanoTime() - began) / 1e6;
    // The daemon tries CRCs at first, and HotSpot compiles.
    Thread.sleep(SETTLED);
  }

  private void awaitReady() throws IOException, CannotRunException {
    BufferedReader said =
        new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8));
    String line = said.readLine();
    if (line == null) {
      throw new CannotRunException("the daemon has not started");
    }
  }

  @Override
  public Sample round(JsonObject task) throws IOException, InterruptedException {
    double before = cpuNanos();
    long began = System.nanoTime();
    Thread.sleep(task.get("millis").getAsLong());
    double used = cpuNanos() - before;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("cpu", used / (System.nanoTime() - began));
    figures.put("resident_octets", residentOctets());
    figures.put("start_ms", startMillis);
    return Sample.of(figures);
  }

  private double cpuNanos() {
    return daemon.info().totalCpuDuration().orElseThrow().toNanos();
  }

  private double residentOctets() throws IOException {
    try (Stream<String> lines =
        Files.lines(Path.of("/proc", Long.toString(daemon.pid()), "status"))) {
      return lines
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .findFirst()
              .orElseThrow()
          * KIBIBYTE;
    }
  }

  @Override
  public void close() throws IOException {
    if (session != null) {
      session.close();
    }
    if (daemon != null) {
      end();
    }
    if (directory != null) {
      Files.deleteIfExists(directory.resolve("rddpd.toml"));
      Files.deleteIfExists(directory.resolve("rddpd.sock"));
      Files.deleteIfExists(directory);
    }
  }

  /** It ends with its standard input. */
  private void end() throws IOException {
    daemon.getOutputStream().close();
    try {
      if (!daemon.waitFor(5, TimeUnit.SECONDS)) {
        daemon.destroyForcibly();
      }
    } catch (InterruptedException e) {
      daemon.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
