package org.rddp.bench.verbs;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.client.types.ListSubject;
import org.rddp.rig.Affinity;
import org.rddp.rig.TemporaryFolder;

/**
 * A server and a client in processes of their own, which each round starts: perftest's programs
 * over librddp-verbs, or with the argument {@code java} {@code rddp echo} and {@code rddp perf}. A
 * sample of a latency has half of the median round trip, {@code p50} and {@code p99} in ns; one of
 * a throughput has {@code gbps}. Both have {@code engine_cpu}, the share of a core that the engine
 * used while both programs were there.
 */
public final class ToolRig implements Rig {
  private static final long DEADLINE_SECONDS = 30;
  private static final long POLL_MILLIS = 20;
  private static final int ATTEMPTS = 5;
  private static final int ECHO_PORT = 7471;

  private final TemporaryFolder folder = new TemporaryFolder("rddp-tools");
  private boolean java;
  private String cpus;
  private OneDaemon daemon;

  /** For the process of the rig. */
  public ToolRig() throws IOException {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    java = arguments.has("java");
    if (!java) {
      VerbsLibrary.built(VerbsLibrary.NAME);
    }
    // The programs run where this process may, not where the daemon pins this thread.
    cpus =
        IntStream.of(Affinity.allowed())
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(","));
    daemon = OneDaemon.forRoundTrips(1500, arguments.get("idle").getAsString());
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    ToolTask task = ToolTask.fromJson(json);
    for (int attempt = 1; ; attempt++) {
      try {
        return run(task);
      } catch (IOException e) {
        // perftest's server listens again after its first connection, and its client does not wait.
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Sample run(ToolTask task) throws Exception {
    Path served = folder.resolve("server");
    Path connected = folder.resolve("client");
    long cpu = engineNanos();
    long began = System.nanoTime();
    Process server = start(JoinedInterfaces.FAR, serverCommand(task), served);
    Process client = null;
    try {
      awaitListener(server, served);
      client = start(JoinedInterfaces.NEAR, clientCommand(task), connected);
      if (!client.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("no end within " + DEADLINE_SECONDS + " s: " + text(connected));
      }
      if (client.exitValue() != 0) {
        throw new IOException("code " + client.exitValue() + ": " + text(connected));
      }
      double share = (double) (engineNanos() - cpu) / (System.nanoTime() - began);
      return sample(task, Files.readString(connected)).with("engine_cpu", share);
    } finally {
      end(client);
      end(server);
    }
  }

  private static void end(Process process) throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  private static String text(Path output) throws IOException {
    return Files.readString(output, StandardCharsets.UTF_8).strip();
  }

  private long engineNanos() {
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(daemon.engineThread());
  }

  private void awaitListener(Process server, Path output) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (daemon.far().list(ListSubject.LISTENERS).isEmpty()) {
      if (!server.isAlive() || System.nanoTime() > deadline) {
        throw new IOException("the server does not listen: " + text(output));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private List<String> serverCommand(ToolTask task) {
    return java ? rddp("echo", "--interface", JoinedInterfaces.FAR) : perftest(task, List.of());
  }

  private List<String> clientCommand(ToolTask task) {
    if (!java) {
      return perftest(task, List.of(JoinedInterfaces.farAddress()));
    }
    return rddp(
        "perf",
        "--interface",
        JoinedInterfaces.NEAR,
        "--json",
        "-Q",
        "1",
        "-n",
        Integer.toString(task.count()),
        "-s",
        Integer.toString(task.octets()),
        task.test(),
        task.operation(),
        JoinedInterfaces.farAddress() + ":" + ECHO_PORT);
  }

  private static List<String> perftest(ToolTask task, List<String> more) {
    List<String> words = new ArrayList<>();
    words.add("ib_" + task.operation() + "_" + task.test());
    words.addAll(List.of("-R", "-F", "-n", Integer.toString(task.count())));
    words.addAll(List.of("-s", Integer.toString(task.octets())));
    if (!task.isLatency()) {
      words.add("--report_gbits");
    }
    words.addAll(more);
    return words;
  }

  private static List<String> rddp(String... words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.rddp.cli.Main"));
    command.addAll(List.of(words));
    return command;
  }

  private Process start(String interfaceName, List<String> words, Path output) throws Exception {
    List<String> command = new ArrayList<>(List.of("taskset", "-c", cpus));
    command.addAll(words);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("RDDP_SOCKET", daemon.socket().toString());
    builder.environment().put("RDDP_INTERFACE", interfaceName);
    if (!java) {
      builder.environment().put("LD_PRELOAD", VerbsLibrary.built(VerbsLibrary.NAME).toString());
    }
    try {
      return builder.start();
    } catch (IOException e) {
      throw new CannotRunException(e.getMessage());
    }
  }

  private Sample sample(ToolTask task, String printed) throws IOException {
    Map<String, Double> figures = new LinkedHashMap<>();
    if (java) {
      JsonArray results =
          JsonParser.parseString(printed).getAsJsonObject().getAsJsonArray("results");
      JsonObject found = results.get(0).getAsJsonObject();
      if (task.isLatency()) {
        figures.put("p50", found.get("p50_ns").getAsDouble());
        figures.put("p99", found.get("p99_ns").getAsDouble());
      } else {
        figures.put("gbps", found.get("average_gbit_per_s").getAsDouble());
      }
      return Sample.of(figures);
    }
    double[] columns = perftestFigures(printed, task.octets());
    if (task.isLatency()) {
      // t_typical, the median, and the 99th percentile, in microseconds.
      figures.put("p50", columns[4] * 1e3);
      figures.put("p99", columns[7] * 1e3);
    } else {
      figures.put("gbps", columns[3]);
    }
    return Sample.of(figures);
  }

  /** The columns of perftest's line of figures, which begins with the octets of a message. */
  static double[] perftestFigures(String printed, int octets) throws IOException {
    for (String line : printed.lines().toList()) {
      String[] words = line.trim().split("\\s+", -1);
      if (words.length >= 5 && words[0].equals(Integer.toString(octets))) {
        double[] figures = new double[words.length];
        for (int i = 0; i < words.length; i++) {
          // t_stdev is -nan where rounding makes the variance negative.
          figures[i] = words[i].endsWith("nan") ? Double.NaN : Double.parseDouble(words[i]);
        }
        return figures;
      }
    }
    throw new IOException("perftest has printed no figures: " + printed.strip());
  }

  @Override
  public void close() throws IOException {
    if (daemon != null) {
      daemon.close();
    }
    folder.close();
  }
}
