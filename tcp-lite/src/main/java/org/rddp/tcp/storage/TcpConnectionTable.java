package org.rddp.tcp.storage;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.rddp.snapshot.Snapshot;

/**
 * Connections by remote address, remote port and local port: a hash table with linear probing, at
 * most four fifths full. The hash is keyed, so that peers cannot choose ports that collide. A
 * lookup allocates nothing, and the connection of the previous lookup is found without hashing.
 *
 * <p>An array beside the connections holds 31 bits of each hash. A search reads only these, sixteen
 * to a cache line, and almost never reads a connection other than the right one.
 */
public final class TcpConnectionTable<C extends ConnectionEntry> {
  private static final int SMALLEST = 16;

  /** Many times the slots for the most connections that a stack can have. */
  private static final int LARGEST = 1 << 24;

  /** The tag of an empty slot. */
  private static final int EMPTY = 0;

  private long seed;
  private int[] tags = new int[SMALLEST];
  private C[] connections = newArray(SMALLEST);
  private int size;
  private C last;

  /**
   * Creates an empty table.
   *
   * @param seed keys the hash; random, so that peers cannot predict it
   */
  public TcpConnectionTable(long seed) {
    this.seed = seed;
  }

  @SuppressWarnings("unchecked")
  private static <C extends ConnectionEntry> C[] newArray(int length) {
    return (C[]) new ConnectionEntry[length];
  }

  /** Packs the number of a path and the ports into 64 bits, unique to the connection. */
  public static long key(int number, int remotePort, int localPort) {
    return ((long) number << 32) | ((long) remotePort << 16) | localPort;
  }

  /** The number of the path in a key. */
  public static int number(long key) {
    return (int) (key >>> 32);
  }

  /** Number of connections. */
  public int size() {
    return size;
  }

  /** The connection with a key, or null. */
  public C get(long key) {
    C recent = last;
    if (recent != null && recent.key == key) {
      return recent;
    }
    C found = find(key);
    if (found != null) {
      last = found;
    }
    return found;
  }

  private C find(long key) {
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

  /**
   * The connection with a key, or null; rarely, another connection. Reads no connection, so that
   * the caller need not wait for its memory before it looks for the next.
   */
  public C findByTag(long key) {
    long hash = hash(key);
    int tag = tag(hash);
    int mask = tags.length - 1;
    int slot = (int) hash & mask;
    while (tags[slot] != EMPTY && tags[slot] != tag) {
      slot = (slot + 1) & mask;
    }
    return connections[slot];
  }

  /**
   * Touches the cache lines that a search reads first; the result only keeps the JIT from removing
   * the loads.
   */
  public int prefetch(long key) {
    int slot = (int) hash(key) & (tags.length - 1);
    return tags[slot] + (connections[slot] == null ? 1 : 0);
  }

  /** Adds a connection whose key is not in the table. */
  public void add(C connection) {
    if (++size * 5L > tags.length * 4L) {
      grow();
    }
    place(connection);
  }

  private void grow() {
    C[] all = connections;
    tags = new int[tags.length * 2];
    connections = newArray(tags.length);
    for (C connection : all) {
      if (connection != null) {
        place(connection);
      }
    }
  }

  private void place(C connection) {
    long hash = hash(connection.key);
    int mask = tags.length - 1;
    int slot = (int) hash & mask;
    while (tags[slot] != EMPTY) {
      slot = (slot + 1) & mask;
    }
    tags[slot] = tag(hash);
    connections[slot] = connection;
  }

  /**
   * Removes a connection, if it is in the table; moves up those behind it so that searches find
   * them.
   */
  @SuppressWarnings("ReferenceEquality")
  public void remove(C connection) {
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

  /** A copy of all connections, to iterate over while some are removed. */
  public List<C> snapshot() {
    return Arrays.stream(connections).filter(Objects::nonNull).toList();
  }

  private long hash(long key) {
    long mixed = (key ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    return mixed ^ (mixed >>> 32);
  }

  /** The upper bits of the hash, which do not choose the slot except in very large tables. */
  private static int tag(long hash) {
    return (int) (hash >>> 32) | 1;
  }

  /** Transfers the key of the hash and the size of the table; when read, it is empty before. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(TcpConnectionTable.class);
    seed = snapshot.number("seed", seed);
    int capacity = snapshot.number("tags", tags.length, SMALLEST, LARGEST);
    if (Integer.bitCount(capacity) != 1) {
      throw snapshot.wrong(capacity + " slots are no power of two");
    }
    if (snapshot.reads()) {
      tags = new int[capacity];
      connections = newArray(capacity);
    }
    snapshot.end();
  }

  /** The connections in an order that leads to the same table, if they are added in it. */
  public List<C> inOrder() {
    int start = 0;
    while (tags[start] != EMPTY) {
      start++;
    }
    int mask = tags.length - 1;
    int behind = start;
    return IntStream.range(0, tags.length)
        .mapToObj(i -> connections[(behind + i) & mask])
        .filter(Objects::nonNull)
        .toList();
  }
}
