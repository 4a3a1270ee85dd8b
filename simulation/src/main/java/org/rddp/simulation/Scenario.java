package org.rddp.simulation;

/** What lives on the hosts of a {@link HostPair}: connections and their programs. */
public interface Scenario {
  /** Power fails at a host: its programs do nothing any more. */
  void powerFailed(SimulatedHost host);

  /** Power is back at a host, and its stack knows of nothing that was before. */
  void powerRestored(SimulatedHost host);

  /** A host has had a turn of the duty cycle: what must hold between two of them? */
  void checkAfterTurn(SimulatedHost host);

  /**
   * A second has passed: ends whose peer is gone for good do not wait for ever.
   *
   * @param now the time in nanoseconds
   */
  void supervise(long now);

  /** Whether nothing more is to be expected of any connection. */
  boolean isOver();

  /** Grows whenever any connection gets on. */
  long progress();

  /** It is over: what must hold now? */
  void checkAtEnd();
}
