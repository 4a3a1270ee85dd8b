package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTripTimer;
import org.rddp.rig.WaitStrategy;

/**
 * Writes of 64 octets to and fro, alone and beside a stream of long writes between the same
 * programs, and that stream alone. A task has {@code millis}, {@code bulk}, the octets of a long
 * write or 0, and {@code trips}, whether there are round trips. A sample has their times, {@code
 * bulk_gbps}, and {@code bulk_messages}, with those that arrived afterwards.
 */
public final class FairnessRig extends ProgramRig {
  private static final long MEMORY = 8L << 20;
  private static final int OCTETS = 64;
  private static final int OUTSTANDING = 4;

  private final RoundTripTimer timer = new RoundTripTimer();
  private ProgramPair pair;
  private WriteStream bulk;
  private boolean streaming;

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    ConnectionOpener.Ends ends = connections().connect();
    pair = pair(OCTETS, WaitStrategy.working(this::idle));
    pair.use(ends.near(), ends.far());
    bulk = stream(MEMORY);
  }

  private void idle() {
    if (streaming) {
      bulk.work();
    } else {
      Thread.onSpinWait();
    }
  }

  @Override
  public Sample round(JsonObject task) throws IOException {
    long nanos = Json.nanos(task);
    int octets = task.get("bulk").getAsInt();
    streaming = octets > 0;
    if (!streaming) {
      return Sample.of(timer.closedLoop(pair, Integer.MAX_VALUE, nanos))
          .with("bulk_gbps", 0)
          .with("bulk_messages", 0);
    }
    bulk.configure(octets, OUTSTANDING);
    if (!task.get("trips").getAsBoolean()) {
      double gbps = gbps(octets, bulk.run(nanos));
      return Sample.of(Map.of("bulk_gbps", gbps, "bulk_messages", (double) bulk.arrived()));
    }
    Histogram found = timer.closedLoop(pair, Integer.MAX_VALUE, nanos);
    double gbps = gbps(octets, nanos);
    bulk.end();
    bulk.run(0);
    return Sample.of(found).with("bulk_gbps", gbps).with("bulk_messages", (double) bulk.arrived());
  }

  private double gbps(int octets, long nanos) {
    return 8.0 * octets * bulk.arrived() / nanos;
  }
}
