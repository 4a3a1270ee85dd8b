package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.WaitStrategy;

/** Round trips of rddp in the layout of {@link OneDaemon}. Argument: {@code mtu} (1500). */
public final class RddpRig extends TimedRig {
  /** Octets of the longest message. */
  static final int LONGEST = 65_536;

  private static final int PORT = 7473;

  private OneDaemon daemon;
  private ProgramPair pair;

  @Override
  public void open(JsonObject arguments) throws Exception {
    daemon = OneDaemon.forRoundTrips(Json.integer(arguments, "mtu", 1500));
    pair =
        new ProgramPair(
            daemon.near(),
            daemon.far(),
            JoinedInterfaces.farAddress(PORT),
            LONGEST,
            new WaitStrategy(false));
  }

  @Override
  RoundTrip prepare(RttTask task) throws IOException {
    pair.prepare(task.verb(), task.octets());
    return pair;
  }

  @Override
  public void close() throws IOException {
    if (pair != null) {
      pair.close();
    }
    if (daemon != null) {
      daemon.close();
    }
  }
}
