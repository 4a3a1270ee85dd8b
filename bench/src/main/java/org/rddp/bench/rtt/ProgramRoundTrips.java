package org.rddp.bench.rtt;

import java.io.IOException;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.ProgramEnds;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.WaitStrategy;

/** Round trips between two programs of rddp on one thread. */
abstract class ProgramRoundTrips extends TimedRig {
  /** Octets of the longest message. */
  static final int LONGEST = 65_536;

  private static final int PORT = 7473;

  private ProgramEnds ends;
  private ProgramPair pair;

  /** Connects the programs over daemons that are closed with the rig. */
  final void connect(ProgramEnds opened, boolean yields) {
    ends = opened;
    pair =
        ProgramPair.connect(
            ends.near(),
            ends.far(),
            JoinedInterfaces.farAddress(PORT),
            LONGEST,
            yields ? WaitStrategy.yielding(ends.near()) : WaitStrategy.spinning());
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
    if (ends != null) {
      ends.close();
    }
  }
}
