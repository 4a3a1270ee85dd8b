package org.rddp.simulation;

/** The connections and programs on the hosts of a {@link HostPair}. */
public interface Scenario {
  /** Power has failed at a host: its programs do nothing more. */
  void powerFailed(SimulatedHost host);

  /** Power has been restored at a host, whose stack knows nothing of its former connections. */
  void powerRestored(SimulatedHost host);

  /** Checks what must hold after each turn of a host's duty cycle. */
  void checkAfterTurn(SimulatedHost host);

  /**
   * Called every second: aborts ends whose peer will never answer.
   *
   * @param now the time in nanoseconds
   */
  void supervise(long now);

  /** Whether every connection has ended. */
  boolean isOver();

  /** A number that grows when any connection makes progress. */
  long progress();

  /** Checks what must hold when every connection has ended. */
  void checkAtEnd();
}
