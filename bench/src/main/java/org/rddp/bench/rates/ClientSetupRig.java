package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;

/**
 * Opens connections from program to program, up to 32 at a time by as many threads. A task has
 * {@code connections}; a sample has {@code rate}, connections a second.
 */
public final class ClientSetupRig extends ProgramRig {

  @Override
  void openConnections(JsonObject arguments) throws Exception {}

  @Override
  public Sample round(JsonObject task) throws IOException, InterruptedException {
    int count = task.get("connections").getAsInt();
    long began = System.nanoTime();
    List<ConnectionOpener.Ends> all = connections().connect(count);
    long nanos = System.nanoTime() - began;
    for (ConnectionOpener.Ends each : all) {
      each.near().abort();
      each.far().abort();
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rate", count * 1e9 / nanos);
    return Sample.of(figures);
  }
}
