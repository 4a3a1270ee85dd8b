package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.OneDaemon;

/**
 * {@link MixedTraffic} of two programs of a daemon in this process. Arguments are those of {@link
 * OneDaemon}. A task says {@code millis}; a sample has {@code rate} (messages a second), {@code
 * gbps}, {@code messages}, {@code received}, and what {@link ResourceUsage} says.
 */
public final class SteadyRig implements Rig {
  private OneDaemon pair;
  private ConnectionOpener joined;
  private MixedTraffic traffic;

  /** For its process. */
  public SteadyRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    pair = new OneDaemon(arguments);
    joined = new ConnectionOpener(pair);
    traffic = new MixedTraffic(pair, joined.connect());
  }

  @Override
  public Sample round(JsonObject task) {
    long octets = traffic.octets();
    long arrived = traffic.arrived();
    ResourceUsage cost = new ResourceUsage(pair.engineThread());
    long began = System.nanoTime();
    long messages = traffic.run(task.get("millis").getAsLong() * 1_000_000);
    long nanos = System.nanoTime() - began;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rate", messages * 1e9 / nanos);
    figures.put("gbps", 8.0 * (traffic.octets() - octets) / nanos);
    figures.put("messages", (double) messages);
    figures.put("received", (double) (traffic.arrived() - arrived));
    return cost.addTo(Sample.of(figures), messages);
  }

  @Override
  public void close() throws IOException {
    if (pair != null) {
      joined.close();
      pair.close();
    }
  }
}
