package org.rddp.daemon.engine;

import java.util.Arrays;
import java.util.function.Consumer;
import org.rddp.ipc.ring.ConnectionId;
import org.rddp.snapshot.Snapshot;

/**
 * Objects of a session by number. Numbers have the form of {@link ConnectionId}, so that none is
 * reused soon. Looking up, adding and removing take constant time. Engine thread only.
 *
 * @param <T> the type of the objects
 */
final class NumberTable<T> {
  private Object[] objects = new Object[8];
  private int[] numbers = new int[8];

  /** Free indices below {@link #used}: the first {@link #freeCount} entries. */
  private int[] free = new int[8];

  private int freeCount;
  private int used;
  private int generation;

  int size() {
    return used - freeCount;
  }

  /** Reserves a number, not 0, for the next object; the index stays the same until {@link #add}. */
  int reserve() {
    return ConnectionId.of(nextIndex(), ++generation);
  }

  private int nextIndex() {
    return freeCount > 0 ? free[freeCount - 1] : used;
  }

  /** Adds an object under the number reserved last. */
  void add(int number, T object) {
    int index = ConnectionId.index(number);
    if (index != nextIndex()) {
      throw new IllegalStateException("number %08x is not the one reserved".formatted(number));
    }
    if (freeCount > 0) {
      freeCount--;
    } else {
      used++;
    }
    reserveRoom(index);
    objects[index] = object;
    numbers[index] = number;
  }

  private void reserveRoom(int index) {
    if (index == objects.length) {
      objects = Arrays.copyOf(objects, 2 * index);
      numbers = Arrays.copyOf(numbers, 2 * index);
      free = Arrays.copyOf(free, 2 * index);
    }
  }

  /** The object with that number, or null. */
  @SuppressWarnings("unchecked") // add put only T into it
  T get(int number) {
    int index = ConnectionId.index(number);
    boolean there = index < objects.length && numbers[index] == number;
    return there ? (T) objects[index] : null;
  }

  /**
   * Touches the cache lines that {@link #get} reads; the result only keeps the JIT from removing
   * the loads.
   */
  int prefetch(int number) {
    int index = ConnectionId.index(number);
    return index < objects.length ? numbers[index] + (objects[index] == null ? 1 : 0) : 0;
  }

  /** Removes an object that is in the table. */
  void remove(int number) {
    if (get(number) == null) {
      throw new IllegalStateException("nothing has number %08x".formatted(number));
    }
    int index = ConnectionId.index(number);
    objects[index] = null;
    free[freeCount++] = index;
  }

  /**
   * The index of the first object at that index or behind it.
   *
   * @param most indices to search
   * @return if none of these has an object, the first index not searched; -1 behind the last object
   */
  int next(int from, int most) {
    int end = Math.min(used, from + most);
    int index = from;
    while (index < end && objects[index] == null) {
      index++;
    }
    return index < used ? index : -1;
  }

  /** The object at an index; null if there is none. */
  @SuppressWarnings("unchecked") // as above
  T at(int index) {
    return (T) objects[index];
  }

  /** Transfers an object that has a number. */
  interface Transfer<T> {
    /**
     * Transfers it.
     *
     * @param written the object; null if it is read
     * @return the object
     */
    T transfer(int number, T written);
  }

  /** Transfers the numbers and the objects; when read, there are none before. */
  @SuppressWarnings("unchecked") // as above
  void transfer(Snapshot snapshot, Transfer<T> each) {
    snapshot.begin(NumberTable.class);
    generation = snapshot.number("generation", generation);
    int count = snapshot.number("used", used, 0, ConnectionId.MAX_CONNECTIONS);
    for (used = 0; used < count; used++) {
      reserveRoom(used);
      if (snapshot.flag("objects", objects[used] != null)) {
        int number = snapshot.number("numbers", numbers[used]);
        if (ConnectionId.index(number) != used) {
          throw snapshot.wrong("number %08x has not index %d".formatted(number, used));
        }
        numbers[used] = number;
        objects[used] = each.transfer(number, (T) objects[used]);
      } else if (snapshot.reads()) {
        free[freeCount++] = -1;
      }
    }
    for (int i = 0; i < freeCount; i++) {
      free[i] = snapshot.number("free", free[i], 0, used - 1);
      if (snapshot.reads() && (objects[free[i]] != null || isFreeBefore(i))) {
        throw snapshot.wrong("index " + free[i] + " is not free, or twice");
      }
    }
    snapshot.end();
  }

  private boolean isFreeBefore(int place) {
    for (int i = 0; i < place; i++) {
      if (free[i] == free[place]) {
        return true;
      }
    }
    return false;
  }

  /** Calls {@code action} for every object. */
  @SuppressWarnings("unchecked") // as above
  void forEach(Consumer<T> action) {
    for (Object object : objects) {
      if (object != null) {
        action.accept((T) object);
      }
    }
  }
}
