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
 * RDMA Writes one way between two programs. A task says {@code octets}, {@code outstanding} and
 * {@code millis}; a sample has {@code rate} (messages a second), {@code gbps} (payload, Gb/s),
 * {@code messages}, and what {@link ResourceUsage} says.
 */
public final class RddpStreamRig implements Rig {
  private static final long MEMORY = 64L << 20;

  private OneDaemon pair;
  private ConnectionOpener joined;
  private WriteStream stream;

  /** For its process. */
  public RddpStreamRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    pair = new OneDaemon(arguments);
    joined = new ConnectionOpener(pair);
    stream = new WriteStream(pair.near(), pair.far(), joined.connect().near(), MEMORY);
  }

  @Override
  public Sample round(JsonObject task) {
    int octets = task.get("octets").getAsInt();
    stream.configure(octets, task.get("outstanding").getAsInt());
    ResourceUsage cost = new ResourceUsage(pair.engineThread());
    long nanos = stream.run(task.get("millis").getAsLong() * 1_000_000);
    return cost.addTo(sample(stream.arrived(), octets, nanos), stream.arrived());
  }

  /** The figures of messages that went over in a time. */
  static Sample sample(long messages, long octets, long nanos) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rate", messages * 1e9 / nanos);
    figures.put("gbps", 8.0 * messages * octets / nanos);
    figures.put("messages", (double) messages);
    return Sample.of(figures);
  }

  @Override
  public void close() throws IOException {
    if (pair != null) {
      joined.close();
      pair.close();
    }
  }
}
