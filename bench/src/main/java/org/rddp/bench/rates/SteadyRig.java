package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.OneDaemon;

/**
 * {@link MixedTraffic} of two programs. Arguments are those of {@link OneDaemon}. A task has {@code
 * millis}; a sample has {@code rate} (messages a second), {@code gbps}, {@code messages}, {@code
 * received}, and the figures of {@link ResourceUsage}.
 */
public final class SteadyRig extends ProgramRig {
  private MixedTraffic traffic;

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    traffic = new MixedTraffic(daemon(), connections().connect());
  }

  @Override
  public Sample round(JsonObject task) {
    long octets = traffic.octets();
    long arrived = traffic.arrived();
    ResourceUsage usage = new ResourceUsage(daemon().engineThread());
    long began = System.nanoTime();
    long messages = traffic.run(Json.nanos(task));
    long nanos = System.nanoTime() - began;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rate", messages * 1e9 / nanos);
    figures.put("gbps", 8.0 * (traffic.octets() - octets) / nanos);
    figures.put("messages", (double) messages);
    figures.put("received", (double) (traffic.arrived() - arrived));
    return usage.addTo(Sample.of(figures), messages);
  }
}
