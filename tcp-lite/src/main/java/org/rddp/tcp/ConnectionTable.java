package org.rddp.tcp;

import java.util.Arrays;

/**
 * Connections by remote address, remote port and local port: a hash table with linear probing, at
 * most four fifths full. The hash is keyed, so that peers cannot choose ports that collide; a
 * lookup allocates nothing, and the connection asked for last is found without one.
 */
final class ConnectionTable {
  private static final int SMALLEST = 16;

  private final long seed;
  private long[] keys = new long[SMALLEST];
  private TcpConnection[] connections = new TcpConnection[SMALLEST];
  private int size;
  private TcpConnection last;

  ConnectionTable(long seed) {
    this.seed = seed;
  }

  /** One connection's identity in 64 bits. */
  static long key(int remoteAddress, int remotePort, int localPort) {
    return ((long) remoteAddress << 32) | ((long) remotePort << 16) | localPort;
  }

  int size() {
    return size;
  }

  /** The connection with that key, or null. */
  TcpConnection get(long key) {
    TcpConnection recent = last;
    if (recent != null && recent.key == key) {
      return recent;
    }
    int mask = keys.length - 1;
    for (int slot = home(key, mask); connections[slot] != null; slot = (slot + 1) & mask) {
      if (keys[slot] == key) {
        last = connections[slot];
        return last;
      }
    }
    return null;
  }

  /** Adds a connection whose key is not there yet. */
  void add(TcpConnection connection) {
    if (++size * 5L > keys.length * 4L) {
      grow();
    }
    place(connection);
  }

  private void grow() {
    TcpConnection[] all = connections;
    keys = new long[keys.length * 2];
    connections = new TcpConnection[keys.length];
    for (TcpConnection connection : all) {
      if (connection != null) {
        place(connection);
      }
    }
  }

  private void place(TcpConnection connection) {
    int mask = keys.length - 1;
    int slot = home(connection.key, mask);
    while (connections[slot] != null) {
      slot = (slot + 1) & mask;
    }
    keys[slot] = connection.key;
    connections[slot] = connection;
  }

  /** Removes a connection, moving up those behind it so that no search ends early. */
  void remove(TcpConnection connection) {
    if (last == connection) {
      last = null;
    }
    int mask = keys.length - 1;
    int hole = home(connection.key, mask);
    while (connections[hole] != connection) {
      if (connections[hole] == null) {
        return;
      }
      hole = (hole + 1) & mask;
    }
    size--;
    for (int slot = (hole + 1) & mask; connections[slot] != null; slot = (slot + 1) & mask) {
      int home = home(keys[slot], mask);
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        keys[hole] = keys[slot];
        connections[hole] = connections[slot];
        hole = slot;
      }
    }
    connections[hole] = null;
  }

  /** Every connection, for a walk during which some may be removed. */
  TcpConnection[] snapshot() {
    return Arrays.stream(connections).filter(c -> c != null).toArray(TcpConnection[]::new);
  }

  private int home(long key, int mask) {
    long mixed = (key ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    return (int) (mixed >>> 32) & mask;
  }
}
