package org.rddp.simulation;

/** Something that an {@link EventQueue} lets happen when its time has come. */
@FunctionalInterface
public interface Event {
  /**
   * The time has come.
   *
   * @param argument what the event was put on the agenda with
   */
  void run(long argument);
}
