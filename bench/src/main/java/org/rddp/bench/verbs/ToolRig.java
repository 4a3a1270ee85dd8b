package org.rddp.bench.verbs;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.ProgramRun;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.client.types.ListSubject;
import org.rddp.rig.TemporaryFolder;

/**
 * A server and a client in processes of their own, which each round starts: perftest's programs
 * over librddp-verbs, or with the argument {@code java} {@code rddp echo} and {@code rddp perf}. A
 * sample of a latency has half of the median round trip, {@code p50} and {@code p99} in ns; one of
 * a throughput has {@code gbps}. Both have {@code engine_cpu}, the share of a core that the engine
 * used while both programs were there.
 */
public final class ToolRig implements Rig {
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
    cpus = Cpus.allowed();
    daemon = OneDaemon.forRoundTrips(1500, arguments.get("idle").getAsString());
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    ToolTask task = Json.to(json, ToolTask.class);
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
    long cpu = engineNanos();
    long began = System.nanoTime();
    try (ProgramRun server = start(JoinedInterfaces.FAR, serverCommand(task), "server")) {
      server.await(() -> !daemon.far().list(ListSubject.LISTENERS).isEmpty());
      try (ProgramRun client = start(JoinedInterfaces.NEAR, clientCommand(task), "client")) {
        String printed = client.finish();
        double share = (double) (engineNanos() - cpu) / (System.nanoTime() - began);
        return sample(task, printed).with("engine_cpu", share);
      }
    }
  }

  private long engineNanos() {
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(daemon.engineThread());
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

  private ProgramRun start(String interfaceName, List<String> words, String output)
      throws CannotRunException {
    Map<String, String> environment =
        new HashMap<>(
            Map.of("RDDP_SOCKET", daemon.socket().toString(), "RDDP_INTERFACE", interfaceName));
    if (!java) {
      environment.put("LD_PRELOAD", VerbsLibrary.built(VerbsLibrary.NAME).toString());
    }
    return new ProgramRun(cpus, words, environment, folder.resolve(output));
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
