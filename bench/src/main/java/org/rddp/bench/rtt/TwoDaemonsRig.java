package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.WaitStrategy;

/**
 * Round trips of rddp in the layout of {@link TwoDaemons}; both programs on one thread, which
 * yields.
 */
public final class TwoDaemonsRig extends TimedRig {
  private static final int PORT = 7474;
  private static final int MTU = 1500;

  private TwoDaemons daemons;
  private ProgramPair pair;

  @Override
  public void open(JsonObject arguments) throws Exception {
    daemons = new TwoDaemons(MTU);
    pair =
        new ProgramPair(
            daemons.near(),
            daemons.far(),
            JoinedInterfaces.farAddress(PORT),
            RddpRig.LONGEST,
            new WaitStrategy(true));
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
    if (daemons != null) {
      daemons.close();
    }
  }
}
