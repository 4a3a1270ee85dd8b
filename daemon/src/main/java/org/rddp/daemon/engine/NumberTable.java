package org.rddp.daemon.engine;

import java.util.Arrays;
import java.util.function.Consumer;
import org.rddp.ipc.ring.ConnectionId;

/**
 * Things of a session by number. A number is made as {@link ConnectionId} says, so that it is not
 * soon used again. However many there are, a number is found, given and taken back at once. Engine
 * thread only.
 *
 * @param <T> the things
 */
final class NumberTable<T> {
  private Object[] things = new Object[8];
  private int[] numbers = new int[8];

  /** Indices below {@link #used} that are free again, the first {@link #freeCount} of them. */
  private int[] free = new int[8];

  private int freeCount;
  private int used;
  private int generation;

  int size() {
    return used - freeCount;
  }

  /** A number for a thing to come, the same index until {@link #add} uses it; not 0. */
  int reserve() {
    return ConnectionId.of(nextIndex(), ++generation);
  }

  private int nextIndex() {
    return freeCount > 0 ? free[freeCount - 1] : used;
  }

  /** Puts a thing under the number that has just been reserved. */
  void add(int number, T thing) {
    int index = ConnectionId.index(number);
    if (index != nextIndex()) {
      throw new IllegalStateException("number %08x is not the one reserved".formatted(number));
    }
    if (freeCount > 0) {
      freeCount--;
    } else {
      used++;
    }
    if (index == things.length) {
      things = Arrays.copyOf(things, 2 * index);
      numbers = Arrays.copyOf(numbers, 2 * index);
      free = Arrays.copyOf(free, 2 * index);
    }
    things[index] = thing;
    numbers[index] = number;
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
    if (get(number) == null) {
      throw new IllegalStateException("nothing has number %08x".formatted(number));
    }
    int index = ConnectionId.index(number);
    things[index] = null;
    free[freeCount++] = index;
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
