package org.rddp.tcp;

import java.util.Arrays;

/**
 * Connections by remote address, remote port and local port: a hash table with linear probing, at
 * most four fifths full. The hash is keyed, so that peers cannot choose ports that collide; a
 * lookup allocates nothing, and the connection asked for last is found without one.
 *
 * <p>Beside each connection lie 31 bits of its hash: a search looks at these alone, sixteen to a
 * cache line, and almost never at a connection other than the right one.
 */
final class TcpConnectionTable {
  private static final int SMALLEST = 16;

  /** The tag of an empty slot. */
  private static final int EMPTY = 0;

  private final long seed;
  private int[] tags = new int[SMALLEST];
  private TcpConnection[] connections = new TcpConnection[SMALLEST];
  private int size;
  private TcpConnection last;

  TcpConnectionTable(long seed) {
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
    TcpConnection found = find(key);
    if (found != null) {
      last = found;
    }
    return found;
  }

  /** The same, by the hash always. */
  TcpConnection find(long key) {
    long hash = hash(key);
    int tag = tag(hash);
    int mask = tags.length - 1;
    for (int slot = (int) hash & mask; tags[slot] != EMPTY; slot = (slot + 1) & mask) {
      if (tags[slot] == tag && connections[slot].key == key) {
        return connections[slot];
      }
    }
    return null;
  }

  /** Loads where a search for the key begins; what it returns means nothing. */
  int prefetch(long key) {
    int slot = (int) hash(key) & (tags.length - 1);
    return connections[slot] == null ? 0 : tags[slot];
  }

  /** Adds a connection whose key is not there yet. */
  void add(TcpConnection connection) {
    if (++size * 5L > tags.length * 4L) {
      grow();
    }
    place(connection);
  }

  private void grow() {
    TcpConnection[] all = connections;
    tags = new int[tags.length * 2];
    connections = new TcpConnection[tags.length];
    for (TcpConnection connection : all) {
      if (connection != null) {
        place(connection);
      }
    }
  }

  private void place(TcpConnection connection) {
    long hash = hash(connection.key);
    int mask = tags.length - 1;
    int slot = (int) hash & mask;
    while (tags[slot] != EMPTY) {
      slot = (slot + 1) & mask;
    }
    tags[slot] = tag(hash);
    connections[slot] = connection;
  }

  /** Removes a connection, moving up those behind it so that no search ends early. */
  void remove(TcpConnection connection) {
    if (last == connection) {
      last = null;
    }
    int mask = tags.length - 1;
    int hole = (int) hash(connection.key) & mask;
    while (connections[hole] != connection) {
      if (tags[hole] == EMPTY) {
        return;
      }
      hole = (hole + 1) & mask;
    }
    size--;
    for (int slot = (hole + 1) & mask; tags[slot] != EMPTY; slot = (slot + 1) & mask) {
      int home = (int) hash(connections[slot].key) & mask;
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        tags[hole] = tags[slot];
        connections[hole] = connections[slot];
        hole = slot;
      }
    }
    tags[hole] = EMPTY;
    connections[hole] = null;
  }

  /** Every connection, for a walk during which some may be removed. */
  TcpConnection[] snapshot() {
    return Arrays.stream(connections).filter(c -> c != null).toArray(TcpConnection[]::new);
  }

  private long hash(long key) {
    long mixed = (key ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    return mixed ^ (mixed >>> 32);
  }

  /** What of the hash does not choose the slot, except in the largest of tables. */
  private static int tag(long hash) {
    return (int) (hash >>> 32) | 1;
  }
}
