package org.rddp.bench.sockets;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.ProgramRun;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.BuiltFile;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.rig.TemporaryFolder;
import org.rddp.rig.VethEnds;

/**
 * redis-server and redis-benchmark, or two of iperf3: processes that each round starts. Arguments:
 * {@code way}, which is {@code rddp} for librddp-sockets, or {@code veth} or {@code loopback} for
 * the kernel's TCP between two network namespaces or within this one; {@code pinned} for the
 * kernel's, if server and client each have a CPU of their own; {@code spin}, the value of {@code
 * RDDP_SOCKETS_SPIN}.
 *
 * <p>A sample of redis-benchmark has {@code mean} in ns from one request to the next, {@code p50},
 * {@code p99} and {@code max} in ns, and {@code rate} in requests a second; CPU time in ns for each
 * request of both programs ({@code client_user}, {@code client_system}, {@code server_user}, {@code
 * server_system}) and of the {@code engine} (0 without one). One of iperf3 has {@code gbps} at the
 * receiver.
 */
public final class SocketsRig implements Rig {
  private static final int PORT = 7401;

  private final TemporaryFolder folder = new TemporaryFolder("rddp-sockets");

  /** Starts servers: its thread is in their network namespace. */
  private final ExecutorService servers =
      Executors.newSingleThreadExecutor(task -> Thread.ofPlatform().daemon().unstarted(task));

  private final Map<String, String> environment = new HashMap<>();
  private String address;
  private String serverCpus;
  private String clientCpus;
  private OneDaemon daemon;

  /** For the process of the rig. */
  public SocketsRig() throws IOException {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    serverCpus = Cpus.allowed();
    clientCpus = serverCpus;
    if (arguments.has("pinned")) {
      serverCpus = Integer.toString(Cpus.far());
      clientCpus = Integer.toString(Cpus.near());
    }
    switch (arguments.get("way").getAsString()) {
      case "rddp" -> openDaemon(arguments);
      case "veth" -> openLink();
      default -> address = "127.0.0.1";
    }
  }

  private void openDaemon(JsonObject arguments) throws Exception {
    Path library = BuiltFile.of("sockets", "librddp-sockets.so", "a C compiler");
    daemon = OneDaemon.forRoundTrips(1500, "interrupt");
    address = JoinedInterfaces.farAddress();
    environment.put("LD_PRELOAD", library.toString());
    environment.put("RDDP_SOCKET", daemon.socket().toString());
    if (arguments.has("spin")) {
      environment.put("RDDP_SOCKETS_SPIN", arguments.get("spin").getAsString());
    }
  }

  private void openLink() throws Exception {
    VethEnds link = new VethEnds(true);
    address = link.serverAddress().getHostAddress();
    Future<Void> entered =
        servers.submit(() -> {
          link.enterServer();
          return null;
        });
    try {
      link.enterClient();
      entered.get();
    } catch (IOException | ExecutionException e) {
      throw new CannotRunException("needs root, and ip: " + e.getMessage());
    }
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    SocketsTask task = SocketsTask.fromJson(json);
    String ready = task.isRedis() ? "Ready to accept connections" : "Server listening";
    try (ProgramRun server = startServer(task.isRedis() ? redisServer() : iperfServer())) {
      server.await(() -> has(server, ready));
      ProcessTimes servers = ProcessTimes.of(server.pid());
      ProcessTimes clients = ProcessTimes.ofEndedChildren();
      double engine = engineNanos();
      String printed;
      try (ProgramRun client =
          run(clientCpus, task.isRedis() ? redisClient(task) : iperfClient(task), "client")) {
        printed = client.finish();
      }
      engine = engineNanos() - engine;
      if (!task.isRedis()) {
        return iperfSample(printed);
      }
      servers = ProcessTimes.of(server.pid()).less(servers);
      clients = ProcessTimes.ofEndedChildren().less(clients);
      return redisSample(printed)
          .with("client_user", clients.user() / task.count())
          .with("client_system", clients.system() / task.count())
          .with("server_user", servers.user() / task.count())
          .with("server_system", servers.system() / task.count())
          .with("engine", engine / task.count());
    }
  }

  private static boolean has(ProgramRun program, String text) {
    try {
      return program.output().contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private double engineNanos() {
    return daemon == null
        ? 0
        : ManagementFactory.getThreadMXBean().getThreadCpuTime(daemon.engineThread());
  }

  private ProgramRun startServer(List<String> words) throws Exception {
    try {
      return servers.submit(() -> run(serverCpus, words, "server")).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private ProgramRun run(String cpus, List<String> words, String output) throws CannotRunException {
    return new ProgramRun(cpus, words, environment, folder.resolve(output));
  }

  private List<String> redisServer() {
    return List.of(
        "redis-server",
        "--bind",
        address,
        "--port",
        "" + PORT,
        "--save",
        "",
        "--protected-mode",
        "no");
  }

  private List<String> redisClient(SocketsTask task) {
    return List.of(
        "redis-benchmark",
        "-h",
        address,
        "-p",
        "" + PORT,
        "-c",
        "" + task.connections(),
        "-n",
        "" + task.count(),
        "-t",
        "get",
        "--csv");
  }

  private List<String> iperfServer() {
    return List.of("iperf3", "-s", "-B", address, "-p", "" + PORT, "--forceflush");
  }

  private List<String> iperfClient(SocketsTask task) {
    return List.of("iperf3", "-c", address, "-p", "" + PORT, "-t", "" + task.count(), "--json");
  }

  /** The figures of redis-benchmark's line of GET, whose times are in ms. */
  static Sample redisSample(String printed) throws IOException {
    for (String line : printed.lines().toList()) {
      String[] columns = line.replace("\"", "").split(",", -1);
      if (columns.length >= 8 && columns[0].equals("GET")) {
        double rate = Double.parseDouble(columns[1]);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("mean", 1e9 / rate);
        figures.put("rate", rate);
        figures.put("p50", Double.parseDouble(columns[4]) * 1e6);
        figures.put("p99", Double.parseDouble(columns[6]) * 1e6);
        figures.put("max", Double.parseDouble(columns[7]) * 1e6);
        return Sample.of(figures);
      }
    }
    throw new IOException("redis-benchmark has printed no figures: " + printed);
  }

  /** What the receiver of iperf3 has had. */
  static Sample iperfSample(String printed) throws IOException {
    try {
      double rate =
          JsonParser.parseString(printed)
              .getAsJsonObject()
              .getAsJsonObject("end")
              .getAsJsonObject("sum_received")
              .get("bits_per_second")
              .getAsDouble();
      return Sample.of(Map.of("gbps", rate / 1e9));
    } catch (IllegalStateException | NullPointerException | JsonParseException e) {
      throw new IOException("iperf3 has printed no figures: " + printed, e);
    }
  }

  @Override
  public void close() throws IOException {
    servers.shutdownNow();
    if (daemon != null) {
      daemon.close();
    }
    folder.close();
  }
}
