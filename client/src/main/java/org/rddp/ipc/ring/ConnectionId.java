package org.rddp.ipc.ring;

/**
 * The number of a connection within its session: an index for a table, and a generation so that a
 * number is not used again soon. Never 0.
 */
public final class ConnectionId {
  /** Connections that a session can have at a time, at most. */
  public static final int MAX_CONNECTIONS = 1 << 20;

  private static final int INDEX_BITS = 20;

  /** All that 12 bits can say but 0, and with it the number 0. */
  private static final int GENERATIONS = 4095;

  private ConnectionId() {}

  /**
   * Makes a number.
   *
   * @param index 0 to {@link #MAX_CONNECTIONS} - 1
   * @param generation any; the next one makes another number, and so do the 4093 after that
   */
  public static int of(int index, int generation) {
    if (index < 0 || index >= MAX_CONNECTIONS) {
      throw new IllegalArgumentException("index of a connection: " + index);
    }
    int number = 1 + Math.floorMod(generation, GENERATIONS);
    return (number << INDEX_BITS) | index;
  }

  /** Its index, 0 to {@link #MAX_CONNECTIONS} - 1. */
  public static int index(int connection) {
    return connection & (MAX_CONNECTIONS - 1);
  }
}
