package org.rddp.bench.harness;

/** Work in a loop of its own, so that HotSpot sees one callee in the loop. */
@FunctionalInterface
public interface TimedLoop {
  /**
   * Does the work {@code times} times.
   *
   * @param length octets, 1 or more
   * @return a value that depends on all results
   */
  int run(int length, int times);
}
