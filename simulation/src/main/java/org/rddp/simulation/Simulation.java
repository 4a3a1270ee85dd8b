package org.rddp.simulation;

import java.util.function.Consumer;

/**
 * A kind of life that can be lived from a seed any number of times, always in the same way. One
 * thread's; what lives need again and again is kept between them.
 */
public interface Simulation {
  /**
   * Lives one life.
   *
   * @param seed what everything about it follows from
   * @param totals where what happened is added, under the same names for every seed
   * @param trace where what happens is told line by line, or null for nowhere
   * @return what was violated, or null if everything held
   */
  String run(long seed, RunTotals totals, Consumer<String> trace);
}
