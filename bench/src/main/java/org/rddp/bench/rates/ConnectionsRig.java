package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.ProcessMemory;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.RoundTripTimer;
import org.rddp.rig.WaitStrategy;

/**
 * Writes of 64 octets to and fro among many connections of two programs. Argument: {@code
 * connections}. A task has {@code millis} and {@code spread}: over all connections, instead of over
 * the first while the others are idle. A sample has the round trips, {@code packets_used}, {@code
 * heap_octets} (live, once all are open), {@code heap_of_each} (both ends of a connection after the
 * first), {@code resident_octets} and {@code connect_us}, the time to open one of those.
 */
public final class ConnectionsRig extends ProgramRig {
  private static final int OCTETS = 64;
  private static final String[] INTERFACES = {"near", "far"};

  private final List<ConnectionOpener.Ends> connections = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(1);
  private final RoundTripTimer timer = new RoundTripTimer();
  private ProgramPair pair;
  private double connectMicros;
  private double heapOctets;
  private double heapOfEach;

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    int count = arguments.get("connections").getAsInt();
    connections.add(connections().connect());
    double before = liveOctets();
    long began = System.nanoTime();
    if (count > 1) {
      connections.addAll(connections().connect(count - 1));
    }
    connectMicros = (System.nanoTime() - began) / 1e3 / (count - 1);
    heapOctets = liveOctets();
    heapOfEach = Math.max(0, heapOctets - before) / (count - 1);
    pair = pair(OCTETS, WaitStrategy.spinning());
  }

  @Override
  public Sample round(JsonObject task) throws IOException {
    long nanos = Json.nanos(task);
    Sample found =
        Sample.of(timer.closedLoop(trips(task), Integer.MAX_VALUE, nanos))
            .with("packets_used", packetsUsed())
            .with("heap_octets", heapOctets)
            .with("resident_octets", ProcessMemory.residentOctets(ProcessHandle.current()));
    return connections.size() == 1
        ? found
        : found.with("heap_of_each", heapOfEach).with("connect_us", connectMicros);
  }

  /** Over the first connection, or over all at random with every write signalled. */
  private RoundTrip trips(JsonObject task) {
    boolean spread = task.get("spread").getAsBoolean();
    pair.signalAll(spread);
    return number -> {
      ConnectionOpener.Ends ends = connections.get(spread ? random.nextInt(connections.size()) : 0);
      pair.use(ends.near(), ends.far());
      pair.run(number);
    };
  }

  /** Octets of live objects; collecting garbage takes a second for each GiB. */
  private static double liveOctets() {
    Runtime runtime = Runtime.getRuntime();
    ManagementFactory.getMemoryMXBean().gc();
    return (double) (runtime.totalMemory() - runtime.freeMemory());
  }

  private double packetsUsed() throws IOException {
    Map<String, Long> values = daemon().counters();
    double used = 0;
    for (String each : INTERFACES) {
      used += value(values, each + ".packets") - value(values, each + ".packets_free");
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
}
