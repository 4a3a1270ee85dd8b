package org.rddp.bench.layout;

import java.io.IOException;
import org.rddp.rig.Affinity;

/** Which CPU does what, the same for all contenders. */
public final class Cpus {
  private Cpus() {}

  /** The other end, or the engine. */
  public static int far() throws IOException {
    return Affinity.allowed()[0];
  }

  /** The thread that measures. */
  public static int near() throws IOException {
    int[] cpus = Affinity.allowed();
    return cpus[cpus.length - 1];
  }
}
