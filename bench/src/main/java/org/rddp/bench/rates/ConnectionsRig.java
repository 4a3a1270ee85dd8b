package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.ipc.ring.Counters;

/**
 * Writes of 64 octets to and fro among many connections of two programs. Argument: {@code
 * connections}. A task says {@code millis} and {@code spread}: over the first connection, the
 * others being idle, or over all. A sample has the round trips, {@code packets_used}, {@code
 * heap_octets} (live, once all are open), {@code heap_of_each} (both ends of a connection behind
 * the first), {@code resident_octets} and {@code connect_us}, what it took to open one of those.
 */
public final class ConnectionsRig implements Rig {
  private static final int OCTETS = 64;
  private static final String[] INTERFACES = {"near", "far"};
  private static final double KIBIBYTE = 1024;

  private final List<ConnectionOpener.Ends> connections = new ArrayList<>();
  private OneDaemon pair;
  private ConnectionOpener joined;
  private PingPong pingPong;
  private double connectMicros;
  private double heapOctets;
  private double heapOfEach;

  /** For its process. */
  public ConnectionsRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    int count = arguments.get("connections").getAsInt();
    pair = new OneDaemon(arguments);
    joined = new ConnectionOpener(pair);
    connections.add(joined.connect());
    double before = liveOctets();
    long began = System.nanoTime();
    if (count > 1) {
      connections.addAll(joined.connect(count - 1));
    }
    connectMicros = (System.nanoTime() - began) / 1e3 / (count - 1);
    heapOctets = liveOctets();
    heapOfEach = Math.max(0, heapOctets - before) / (count - 1);
    pingPong = new PingPong(pair, connections, OCTETS);
  }

  @Override
  public Sample round(JsonObject task) throws IOException {
    long nanos = task.get("millis").getAsLong() * 1_000_000;
    Sample found =
        Sample.of(pingPong.run(nanos, task.get("spread").getAsBoolean(), null))
            .with("packets_used", packetsUsed())
            .with("heap_octets", heapOctets)
            .with("resident_octets", residentOctets());
    return connections.size() == 1
        ? found
        : found.with("heap_of_each", heapOfEach).with("connect_us", connectMicros);
  }

  /** What is left on the heap when garbage has been collected, which takes a second for a GiB. */
  private static double liveOctets() {
    Runtime runtime = Runtime.getRuntime();
    ManagementFactory.getMemoryMXBean().gc();
    return (double) (runtime.totalMemory() - runtime.freeMemory());
  }

  private double packetsUsed() throws IOException {
    Map<String, Long> values = new HashMap<>();
    try (Counters counters = pair.near().openCounters()) {
      counters.forEach(values::put);
    }
    double used = 0;
    for (String each : INTERFACES) {
      used += value(values, each + ".packets") - value(values, each + ".packets.free");
    }
    return used;
  }

  private static double value(Map<String, Long> values, String suffix) {
    return values.entrySet().stream()
        .filter(each -> each.getKey().endsWith(suffix))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no counter " + suffix + " in " + values))
        .getValue();
  }

  private static double residentOctets() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
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
    if (pair != null) {
      joined.close();
      pair.close();
    }
  }
}
