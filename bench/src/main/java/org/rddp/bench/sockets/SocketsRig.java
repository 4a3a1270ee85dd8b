package org.rddp.bench.sockets;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
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
 * The server and the client of a {@link SocketsTask}: processes that each round starts. Arguments:
 * {@code way}, which is {@code rddp} for librddp-sockets, or {@code veth} or {@code loopback} for
 * the kernel's TCP between two network namespaces or within this one; {@code pinned} for the
 * kernel's, if server and client each have a CPU of their own; {@code spin}, the value of {@code
 * RDDP_SOCKETS_SPIN}.
 *
 * <p>A sample has the client's figures ({@link MeasuredProgram}); of redis-benchmark also the CPU
 * time in ns for each request of both programs ({@code client_user}, {@code client_system}, {@code
 * server_user}, {@code server_system}) and of the {@code engine} (0 without one).
 */
public final class SocketsRig implements Rig {
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
    letOthersThrough(folder.path());
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
    letOthersThrough(daemon.socket().getParent());
    Files.setPosixFilePermissions(daemon.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
    environment.put("LD_PRELOAD", library.toString());
    environment.put("RDDP_SOCKET", daemon.socket().toString());
    if (arguments.has("spin")) {
      environment.put("RDDP_SOCKETS_SPIN", arguments.get("spin").getAsString());
    }
  }

  /** PostgreSQL runs as another user: folders of ours on the way must not stop it. */
  private static void letOthersThrough(Path path) throws IOException {
    for (Path each = path; each != null; each = each.getParent()) {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(each);
      if (!permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
        return;
      }
      Files.setPosixFilePermissions(each, permissions);
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
    SocketsTask task = Json.to(json, SocketsTask.class);
    MeasuredProgram programs = task.programs();
    programs.prepare(folder.path());
    try (ProgramRun server = startServer(programs.server(address, folder.path()))) {
      server.await(() -> has(server, programs.ready()));
      ProcessTimes servers = ProcessTimes.of(server.pid());
      ProcessTimes clients = ProcessTimes.ofEndedChildren();
      double engine = engineNanos();
      String printed;
      try (ProgramRun client = run(clientCpus, programs.client(address, task), "client")) {
        printed = client.finish();
      }
      engine = engineNanos() - engine;
      Sample sample = programs.sample(printed);
      if (!task.countsRequests()) {
        return sample;
      }
      servers = ProcessTimes.of(server.pid()).less(servers);
      clients = ProcessTimes.ofEndedChildren().less(clients);
      return sample
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

  @Override
  public void close() throws IOException {
    servers.shutdownNow();
    if (daemon != null) {
      daemon.close();
    }
    folder.close();
  }
}
