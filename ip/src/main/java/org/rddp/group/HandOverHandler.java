package org.rddp.group;

/** Processes entries that other stacks of the interface have handed over. Implemented by IP. */
public interface HandOverHandler {
  /**
   * Processes one entry.
   *
   * @param entry reused when this returns
   * @param now the time in nanoseconds
   */
  void process(HandOverEntry entry, long now);
}
