package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;

/**
 * RDMA Writes one way between two programs. A task has {@code octets}, {@code outstanding} and
 * {@code millis}; a sample has {@code rate} (messages a second), {@code gbps} (payload, Gb/s),
 * {@code messages}, and the figures of {@link ResourceUsage}.
 */
public final class RddpStreamRig extends ProgramRig {
  private static final long MEMORY = 64L << 20;

  private WriteStream stream;

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    stream = stream(MEMORY);
  }

  @Override
  public Sample round(JsonObject task) {
    int octets = task.get("octets").getAsInt();
    stream.configure(octets, task.get("outstanding").getAsInt());
    ResourceUsage usage = new ResourceUsage(daemon().engineThread());
    long nanos = stream.run(Json.nanos(task));
    return usage.addTo(sample(stream.arrived(), octets, nanos), stream.arrived());
  }

  /** The figures of messages that arrived within a time. */
  static Sample sample(long messages, long octets, long nanos) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rate", messages * 1e9 / nanos);
    figures.put("gbps", 8.0 * messages * octets / nanos);
    figures.put("messages", (double) messages);
    return Sample.of(figures);
  }
}
