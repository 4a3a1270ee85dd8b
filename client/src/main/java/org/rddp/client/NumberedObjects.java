package org.rddp.client;

import java.util.Arrays;
import java.util.function.Consumer;
import org.rddp.ipc.ring.ConnectionId;

/**
 * Objects of a session by the daemon's number, which has the form of a {@link ConnectionId}.
 * Thread-safe; lookups take no lock and allocate nothing.
 *
 * @param <T> type of the objects
 */
final class NumberedObjects<T> {
  private record Entry<T>(int number, T thing) {}

  private volatile Object[] table = new Object[4];

  synchronized void put(int number, T thing) {
    int index = ConnectionId.index(number);
    Object[] next = Arrays.copyOf(table, Math.max(table.length, Integer.highestOneBit(index) * 2));
    next[index] = new Entry<>(number, thing);
    table = next;
  }

  /** Removes an object, if there is one with this number. */
  synchronized void remove(int number) {
    if (get(number) != null) {
      Object[] next = table.clone();
      next[ConnectionId.index(number)] = null;
      table = next;
    }
  }

  /** Whether there is no object. */
  boolean isEmpty() {
    return Arrays.stream(table).allMatch(entry -> entry == null);
  }

  /** Passes every object. */
  @SuppressWarnings("unchecked") // put() stores entries of T only
  void forEach(Consumer<T> action) {
    for (Object entry : table) {
      if (entry != null) {
        action.accept(((Entry<T>) entry).thing);
      }
    }
  }

  /** The object with a number, or null. */
  @SuppressWarnings("unchecked") // put() stores entries of T only
  T get(int number) {
    Object[] now = table;
    int index = ConnectionId.index(number);
    Entry<T> entry = index < now.length ? (Entry<T>) now[index] : null;
    return entry != null && entry.number == number ? entry.thing : null;
  }
}
