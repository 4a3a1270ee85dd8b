package org.rddp.demo;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.rddp.rig.Affinity;
import org.rddp.rig.CoreToCore;
import org.rddp.rig.JavaProcess;
import org.rddp.rig.KernelTcpPingPong;
import org.rddp.rig.RoundTrips;
import org.rddp.rig.TemporaryFolder;

/**
 * Runs the demonstration: a verified transfer between two programs through two daemons, each in its
 * own process; then round trips, over rddp and over the kernel's TCP.
 */
public final class Demo implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);

  /** Timeout of the round trips and their warm-up; spinning threads that share a core are slow. */
  private static final Duration ROUND_TRIPS = Duration.ofMinutes(3);

  /** Time for the JIT to compile a transfer's code, in four processes that share few cores. */
  private static final int WARM_UP_SECONDS = 4;

  /** Small heaps: few cores have no time for the threads of a parallel collector. */
  private static final List<String> JVM_FLAGS = List.of("-XX:+UseSerialGC");

  private static final int SINK_PORT = 7471;
  private static final int ROUND_TRIP_OCTETS = 64;
  private static final String SOURCE_ADDRESS = "10.99.0.1";
  private static final String SINK_ADDRESS = "10.99.0.2";
  private static final String SOURCE_IPV6 = "fd99::1";
  private static final String SINK_IPV6 = "fd99::2";

  private final DemoSettings settings;
  private final Consumer<String> progress;
  private final TemporaryFolder folder;
  private final List<JavaProcess> children = new ArrayList<>();
  private boolean closed;

  /**
   * Prepares a demonstration.
   *
   * @param progress gets a line for each step
   */
  public Demo(DemoSettings settings, Consumer<String> progress) throws IOException {
    this.settings = settings;
    this.progress = progress;
    this.folder = new TemporaryFolder("rddp-demo-");
  }

  /**
   * Runs the demonstration.
   *
   * @throws DemoException when a step fails
   */
  public DemoResult run() throws IOException, InterruptedException {
    progress.accept(
        "device: "
            + settings.device().description()
            + (settings.hugepages() ? ", huge pages" : ", without huge pages"));
    JsonObject transfer = transfer();
    RoundTrips writes = roundTrips();
    int[] cpus = Affinity.allowed();
    int near = cpus[0];
    int far = cpus[cpus.length - 1];
    progress.accept("one cache line between the cores");
    long coreToCore = CoreToCore.medianNanos(near, far);
    RoundTrips kernelTcp = kernelTcp(near, far);
    return new DemoResult(
        transfer.get("verified").getAsBoolean(),
        settings.octets(),
        settings.device().description(),
        settings.hugepages(),
        settings.mtu(),
        settings.ipv6(),
        true,
        transfer.get("nanos").getAsLong() / 1e9,
        writes,
        "both engines on one thread, both programs on another; one process, two ports",
        kernelTcp,
        coreToCore);
  }

  // ---- The transfer ----

  private JsonObject transfer() throws IOException, InterruptedException {
    List<String> devices = settings.device().devices("/proc/self/cwd/link.sock");
    List<Path> sockets = startDaemons(devices);
    Path sourceSocket = sockets.getFirst();
    Path sinkSocket = sockets.getLast();
    try (DemoCapture _ = capture(sourceSocket)) {
      progress.accept("programs: one writes into the other's memory, which checks every octet");
      JavaProcess sink =
          start(
              "sink",
              "demo-sink",
              "--socket",
              sinkSocket.toString(),
              "--interface",
              "sink",
              "--port",
              Integer.toString(SINK_PORT),
              "--size",
              Long.toString(settings.octets()),
              "--seed",
              Long.toString(settings.seed()));
      awaitLine(sink, "listening", START);
      JavaProcess source =
          start(
              "source",
              "demo-source",
              "--socket",
              sourceSocket.toString(),
              "--interface",
              "source",
              "--size",
              Long.toString(settings.octets()),
              "--seed",
              Long.toString(settings.seed()),
              "--warm-up",
              // No warm-up in a capture, which people read.
              Integer.toString(settings.pcap() == null ? WARM_UP_SECONDS : 0),
              (settings.ipv6() ? "[" + SINK_IPV6 + "]" : SINK_ADDRESS) + ":" + SINK_PORT);
      Duration timeout = transferTimeout();
      JsonObject sent = json(awaitLine(source, "{", timeout));
      JsonObject checked = json(awaitLine(sink, "{", timeout));
      if (checked.has("problem")) {
        progress.accept("NOT verified: " + checked.get("problem").getAsString());
      }
      sent.add("verified", checked.get("verified"));
      source.awaitEnd(START);
      sink.awaitEnd(START);
      return sent;
    } finally {
      stopChildren();
    }
  }

  private DemoCapture capture(Path socket) throws IOException {
    if (settings.pcap() == null) {
      return null;
    }
    progress.accept("capturing the link into " + settings.pcap());
    return new DemoCapture(socket, "source", settings.pcap(), progress);
  }

  /** The slowest device carries a tenth of a gigabit per second. */
  private Duration transferTimeout() {
    return Duration.ofSeconds(60 + settings.octets() / 10_000_000);
  }

  private List<Path> startDaemons(List<String> devices) throws IOException, InterruptedException {
    if (settings.device().inTwoProcesses()) {
      Path first = startDaemon("source", List.of(source(devices.getFirst())));
      Path second = startDaemon("sink", List.of(sink(devices.getLast())));
      return List.of(first, second);
    }
    Path only = startDaemon("both", List.of(source(devices.getFirst()), sink(devices.getLast())));
    return List.of(only, only);
  }

  private DemoInterface source(String device) {
    return new DemoInterface(
        "source", device, addresses(SOURCE_ADDRESS, SOURCE_IPV6), settings.mtu());
  }

  private DemoInterface sink(String device) {
    return new DemoInterface("sink", device, addresses(SINK_ADDRESS, SINK_IPV6), settings.mtu());
  }

  private List<String> addresses(String ipv4, String ipv6) {
    return settings.ipv6() ? List.of(ipv4 + "/24", ipv6 + "/64") : List.of(ipv4 + "/24");
  }

  private Path startDaemon(String name, List<DemoInterface> interfaces)
      throws IOException, InterruptedException {
    Path socket = folder.resolve(name + ".rddpd.sock");
    Path configuration =
        folder.write(
            name + ".toml",
            DemoInterface.configuration(socket, settings.hugepages(), interfaces).toString());
    progress.accept("daemon '" + name + "'");
    JavaProcess daemon =
        start("daemon-" + name, "daemon", "--config", configuration.toString(), "--until-eof");
    awaitLine(daemon, "ready:", START);
    return socket;
  }

  // ---- Round trips ----

  private RoundTrips roundTrips() throws IOException, InterruptedException {
    progress.accept("round trips of " + ROUND_TRIP_OCTETS + " octets, two threads, net_ring");
    Path configuration =
        folder.write(
            "round-trips.toml",
            DemoInterface.configuration(
                    folder.resolve("round-trips.sock"),
                    settings.hugepages(),
                    List.of(source("ring:rtt"), sink("ring:rtt")))
                .idle("spin")
                .toString());
    JavaProcess child =
        start(
            "round-trips",
            "demo-round-trips",
            "--config",
            configuration.toString(),
            "--count",
            Integer.toString(settings.count()),
            "--size",
            Integer.toString(ROUND_TRIP_OCTETS));
    String line = awaitLine(child, "{", ROUND_TRIPS.plusMillis(settings.count()));
    child.awaitEnd(START);
    return new Gson().fromJson(line, RoundTrips.class);
  }

  private RoundTrips kernelTcp(int near, int far) throws IOException, InterruptedException {
    progress.accept("the same over the kernel's TCP");
    int warmUp = 20_000;
    int count = Math.min(settings.count(), 100_000);
    try {
      return KernelTcpPingPong.overVeth(ROUND_TRIP_OCTETS, warmUp, count, far, near);
    } catch (IOException e) {
      progress.accept("no network namespaces (" + e.getMessage() + "): over the loopback instead");
      return KernelTcpPingPong.overLoopback(ROUND_TRIP_OCTETS, warmUp, count, far, near);
    }
  }

  // ---- Children ----

  private synchronized JavaProcess start(String name, String... command) throws IOException {
    if (closed) {
      throw new DemoException("interrupted");
    }
    JavaProcess child = JavaProcess.commandIn(folder.path(), name, JVM_FLAGS, List.of(command));
    children.add(child);
    return child;
  }

  private static String awaitLine(JavaProcess child, String prefix, Duration timeout)
      throws InterruptedException {
    try {
      return child.awaitLine(prefix, timeout);
    } catch (IOException e) {
      throw new DemoException(e.getMessage(), e);
    }
  }

  private static JsonObject json(String line) {
    return JsonParser.parseString(line).getAsJsonObject();
  }

  /** Stops programs before their daemons. */
  private synchronized void stopChildren() {
    for (JavaProcess child : children.reversed()) {
      child.close();
    }
    children.clear();
  }

  /** Ends all processes, and removes all files. */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    stopChildren();
    folder.close();
  }
}
