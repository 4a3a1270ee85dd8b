package org.rddp.bench.rtt;

import java.io.IOException;
import org.rddp.rig.Affinity;

/** Which CPU does what, the same for all contenders. */
final class Cpus {
  private Cpus() {}

  /** The other end, or the engine. */
  static int far() throws IOException {
    return Affinity.allowed()[0];
  }

  /** The thread that measures. */
  static int near() throws IOException {
    int[] cpus = Affinity.allowed();
    return cpus[cpus.length - 1];
  }
}
