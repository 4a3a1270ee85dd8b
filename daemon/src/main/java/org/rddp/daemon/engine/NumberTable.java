package org.rddp.daemon.engine;

import java.util.Arrays;
import java.util.function.Consumer;
import org.rddp.ipc.ConnectionId;

/**
 * Things of a session by number. A number is made as {@link ConnectionId} says, so that it is not
 * soon used again. Engine thread only.
 *
 * @param <T> the things
 */
final class NumberTable<T> {
  private Object[] things = new Object[8];
  private int[] numbers = new int[8];
  private int size;
  private int generation;

  int size() {
    return size;
  }

  /** A number for a thing to come; not 0. */
  int reserve() {
    int index = 0;
    while (index < things.length && things[index] != null) {
      index++;
    }
    return ConnectionId.of(index, ++generation);
  }

  /** Puts a thing under the number that has just been reserved. */
  void add(int number, T thing) {
    int index = ConnectionId.index(number);
    if (index >= things.length) {
      things = Arrays.copyOf(things, 2 * things.length);
      numbers = Arrays.copyOf(numbers, things.length);
    }
    things[index] = thing;
    numbers[index] = number;
    size++;
  }

  /** The thing of that number, or null. */
  @SuppressWarnings("unchecked") // add put nothing but T into it
  T get(int number) {
    int index = ConnectionId.index(number);
    boolean there = index < things.length && numbers[index] == number;
    return there ? (T) things[index] : null;
  }

  /** Takes a thing out, which is there. */
  void remove(int number) {
    things[ConnectionId.index(number)] = null;
    size--;
  }

  /** Shows every thing. */
  @SuppressWarnings("unchecked") // as above
  void forEach(Consumer<T> action) {
    for (Object thing : things) {
      if (thing != null) {
        action.accept((T) thing);
      }
    }
  }
}
