package org.rddp.ipc.ring;

/**
 * The number of a connection within its session: an index into a table and a generation, so that a
 * number is not reused soon. Never 0.
 */
public final class ConnectionId {
  /** Largest number of connections in a session at a time. */
  public static final int MAX_CONNECTIONS = 1 << 20;

  private static final int INDEX_BITS = 20;

  /** The values of 12 bits except 0, so that no number is 0. */
  private static final int GENERATIONS = 4095;

  private ConnectionId() {}

  /**
   * Makes a number.
   *
   * @param index 0 to {@link #MAX_CONNECTIONS} - 1
   * @param generation any; 4095 consecutive generations give different numbers
   */
  public static int of(int index, int generation) {
    if (index < 0 || index >= MAX_CONNECTIONS) {
      throw new IllegalArgumentException("index of a connection: " + index);
    }
    int number = 1 + Math.floorMod(generation, GENERATIONS);
    return (number << INDEX_BITS) | index;
  }

  /** The index of a connection's number, 0 to {@link #MAX_CONNECTIONS} - 1. */
  public static int index(int connection) {
    return connection & (MAX_CONNECTIONS - 1);
  }
}
