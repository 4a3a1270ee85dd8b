package org.rddp.bench.rtt;

import java.io.IOException;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.client.Rddp;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.WaitStrategy;

/** Round trips between two programs of rddp on one thread. */
abstract class ProgramRoundTrips extends TimedRig {
  /** Octets of the longest message. */
  static final int LONGEST = 65_536;

  private static final int PORT = 7473;

  private AutoCloseable daemons;
  private ProgramPair pair;

  /** Connects the programs over daemons that are closed with the rig. */
  final void connect(AutoCloseable opened, Rddp near, Rddp far, boolean yields) {
    daemons = opened;
    pair =
        ProgramPair.connect(
            near, far, JoinedInterfaces.farAddress(PORT), LONGEST, new WaitStrategy(yields));
  }

  @Override
  final RoundTrip prepare(RttTask task) throws IOException {
    pair.prepare(task.verb(), task.octets());
    return pair;
  }

  @Override
  public final void close() throws IOException {
    if (pair != null) {
      pair.close();
    }
    try {
      if (daemons != null) {
        daemons.close();
      }
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
