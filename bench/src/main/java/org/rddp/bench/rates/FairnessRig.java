package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;

/**
 * Writes of 64 octets to and fro, alone and beside a stream of long writes between the same
 * programs. A task has {@code millis} and {@code bulk}, the octets of a long write or 0; a sample
 * has the round trips, {@code bulk_gbps}, and {@code bulk_messages}, with those that arrived
 * afterwards.
 */
public final class FairnessRig extends ProgramRig {
  private static final long MEMORY = 8L << 20;
  private static final int OCTETS = 64;
  private static final int OUTSTANDING = 4;

  private PingPong pingPong;
  private WriteStream bulk;

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    pingPong = new PingPong(daemon(), List.of(connections().connect()), OCTETS);
    bulk = stream(MEMORY);
  }

  @Override
  public Sample round(JsonObject task) {
    long nanos = Json.nanos(task);
    int octets = task.get("bulk").getAsInt();
    if (octets == 0) {
      return Sample.of(pingPong.run(nanos, false, null))
          .with("bulk_gbps", 0)
          .with("bulk_messages", 0);
    }
    bulk.configure(octets, OUTSTANDING);
    Histogram found = pingPong.run(nanos, false, bulk);
    double gbps = 8.0 * octets * bulk.arrived() / nanos;
    bulk.end();
    bulk.run(0);
    return Sample.of(found).with("bulk_gbps", gbps).with("bulk_messages", (double) bulk.arrived());
  }
}
