package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.method.Rig;
import org.rddp.bench.method.Sample;

/**
 * Connections from program to program, up to 32 being opened at a time by as many threads. A task
 * says {@code connections}; a sample has {@code rate}, connections a second.
 */
public final class ClientSetupRig implements Rig {
  private RddpPair pair;
  private Joined joined;

  /** For its process. */
  public ClientSetupRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    pair = new RddpPair(arguments);
    joined = new Joined(pair);
  }

  @Override
  public Sample round(JsonObject task) throws IOException, InterruptedException {
    int count = task.get("connections").getAsInt();
    long began = System.nanoTime();
    List<Joined.Ends> all = joined.connect(count);
    long nanos = System.nanoTime() - began;
    for (Joined.Ends each : all) {
      each.near().abort();
      each.far().abort();
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rate", count * 1e9 / nanos);
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
