package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import org.rddp.bench.harness.Json;
import org.rddp.bench.layout.OneDaemon;

/** Round trips of rddp in the layout of {@link OneDaemon}. Argument: {@code mtu} (1500). */
public final class RddpRig extends ProgramRoundTrips {
  @Override
  public void open(JsonObject arguments) throws Exception {
    connect(OneDaemon.forRoundTrips(Json.integer(arguments, "mtu", 1500)), false);
  }
}
