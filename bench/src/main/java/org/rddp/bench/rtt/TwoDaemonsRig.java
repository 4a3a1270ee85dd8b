package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.TwoDaemons;

/**
 * rddp in two daemons; both programs on one thread of a third process, which yields, as on two
 * cores three busy threads must take turns.
 */
public final class TwoDaemonsRig implements Rig {
  private static final int PORT = 7474;
  private static final int MTU = 1500;

  private final RoundTripTimer clocked = new RoundTripTimer();
  private TwoDaemons daemons;
  private ProgramPair pair;

  /** For the process of the rig. */
  public TwoDaemonsRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    daemons = new TwoDaemons(MTU);
    pair =
        new ProgramPair(
            daemons.near(),
            daemons.far(),
            TwoDaemons.address(PORT),
            RddpRig.LONGEST,
            new WaitStrategy(true));
  }

  @Override
  public Sample round(JsonObject task) throws Exception {
    return clocked.run(RttTask.fromJson(task), pair);
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
