package org.rddp.ipc;

/**
 * The number of a connection within its session: an index for a table, and a generation so that a
 * number is not used again soon. Never 0.
 */
public final class ConnectionId {
  /** Connections that a session can have at a time, at most. */
  public static final int MAX_CONNECTIONS = 1 << 20;

  private static final int INDEX_BITS = 20;

  private ConnectionId() {}

  /**
   * Makes a number.
   *
   * @param index 0 to {@link #MAX_CONNECTIONS} - 1
   * @param generation any; its low 12 bits count, and should change with each use of the index
   */
  public static int of(int index, int generation) {
    if (index < 0 || index >= MAX_CONNECTIONS) {
      throw new IllegalArgumentException("index of a connection: " + index);
    }
    int low = generation & 0xfff;
    // Generation 0 is left out, and with it the number 0.
    return (low == 0 ? 0xfff : low) << INDEX_BITS | index;
  }

  /** Its index, 0 to {@link #MAX_CONNECTIONS} - 1. */
  public static int index(int connection) {
    return connection & (MAX_CONNECTIONS - 1);
  }
}
