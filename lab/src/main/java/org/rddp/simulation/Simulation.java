package org.rddp.simulation;

import java.util.function.Consumer;

/**
 * A kind of simulation that can be run from any seed, always with the same result for the same
 * seed. Used by one thread; buffers are kept between runs.
 */
public interface Simulation {
  /**
   * Runs once.
   *
   * @param seed determines everything in the run
   * @param totals to which the run adds its counts, under the same names for every seed
   * @param trace takes each line of the trace, or null for no trace
   * @return the rule that was violated, or null
   */
  String run(long seed, RunTotals totals, Consumer<String> trace);
}
