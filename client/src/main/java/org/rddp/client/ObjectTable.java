package org.rddp.client;

import java.util.Arrays;
import org.rddp.ipc.ring.ConnectionId;

/**
 * Things of a session by the daemon's number, which is made as {@link ConnectionId} says. Any
 * thread changes it, any thread looks things up without a lock and without allocating.
 *
 * @param <T> the things
 */
final class ObjectTable<T> {
  private record Entry<T>(int number, T thing) {}

  private volatile Object[] table = new Object[4];

  synchronized void put(int number, T thing) {
    int index = ConnectionId.index(number);
    Object[] next = Arrays.copyOf(table, Math.max(table.length, Integer.highestOneBit(index) * 2));
    next[index] = new Entry<>(number, thing);
    table = next;
  }

  /** Takes a thing out, if it is there. */
  synchronized void remove(int number) {
    if (get(number) != null) {
      Object[] next = table.clone();
      next[ConnectionId.index(number)] = null;
      table = next;
    }
  }

  /** The thing of that number, or null. */
  @SuppressWarnings("unchecked") // put has put nothing but entries of T into it
  T get(int number) {
    Object[] now = table;
    int index = ConnectionId.index(number);
    Entry<T> entry = index < now.length ? (Entry<T>) now[index] : null;
    return entry != null && entry.number == number ? entry.thing : null;
  }
}
