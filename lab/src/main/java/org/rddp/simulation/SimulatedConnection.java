package org.rddp.simulation;

/** A connection of a run, with a program at each end. */
public interface SimulatedConnection {
  /** The client's port; 0 before the connection was opened. */
  int port();

  /** Whether both ends are done. */
  boolean done();

  /** A number that grows when it makes progress. */
  long progress();

  /**
   * Aborts an end whose peer is gone or was never there, after some time: an end that has nothing
   * to send does not notice by itself.
   *
   * @param now the time in nanoseconds
   * @param patience that time, in nanoseconds
   */
  void supervise(long now, long patience);
}
