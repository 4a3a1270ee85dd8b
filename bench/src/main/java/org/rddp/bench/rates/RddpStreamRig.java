package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.method.Rig;
import org.rddp.bench.method.Sample;

/**
 * RDMA Writes one way between two programs. A task says {@code octets}, {@code outstanding} and
 * {@code millis}; a sample has {@code rate} (messages a second), {@code gbps} (payload, Gb/s),
 * {@code messages}, and what {@link Cost} says.
 */
public final class RddpStreamRig implements Rig {
  private static final long MEMORY = 64L << 20;

  private RddpPair pair;
  private Joined joined;
  private WriteStream stream;

  /** For its process. */
  public RddpStreamRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    pair = new RddpPair(arguments);
    joined = new Joined(pair);
    stream = new WriteStream(pair.near(), pair.far(), joined.connect().near(), MEMORY);
  }

  @Override
  public Sample round(JsonObject task) {
    int octets = task.get("octets").getAsInt();
    stream.shape(octets, task.get("outstanding").getAsInt());
    Cost cost = new Cost(pair.engineThread());
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
