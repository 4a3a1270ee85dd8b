package org.rddp.group;

/** Implemented by IP, which processes what other stacks of the interface have handed over. */
public interface HandOverHandler {
  /**
   * Another stack has handed something over.
   *
   * @param entry reused when this returns
   * @param now the time in nanoseconds
   */
  void process(HandOverEntry entry, long now);
}
