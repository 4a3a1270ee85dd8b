package org.rddp.simulation;

/** Code that an {@link EventQueue} runs at a scheduled time. */
@FunctionalInterface
public interface Event {
  /**
   * Runs at the scheduled time.
   *
   * @param argument that the event was scheduled with
   */
  void run(long argument);
}
