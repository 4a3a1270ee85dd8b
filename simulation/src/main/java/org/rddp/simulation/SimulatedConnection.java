package org.rddp.simulation;

/** A connection of a life, with a program at each end. */
public interface SimulatedConnection {
  /** The client's port; 0 before the connection was opened. */
  int port();

  /** Whether nothing more is to be expected of either end. */
  boolean done();

  /** Grows whenever it gets on. */
  long progress();

  /**
   * Lets an end whose peer is gone for good, or was never there, abort after a while: it may have
   * nothing to send, so that nobody tells it.
   *
   * @param now the time in nanoseconds
   * @param patience how long it waits, in nanoseconds
   */
  void supervise(long now, long patience);
}
