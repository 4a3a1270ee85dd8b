package org.rddp.bench.harness;

/**
 * One way to do a piece of work. Each has a loop of its own, so that HotSpot sees one callee in it.
 */
@FunctionalInterface
public interface TimedLoop {
  /**
   * Does it so many times.
   *
   * @param length octets, 1 or more
   * @return something that depends on the outcome
   */
  int run(int length, int times);
}
