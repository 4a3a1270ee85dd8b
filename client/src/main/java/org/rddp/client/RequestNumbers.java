package org.rddp.client;

import java.util.function.LongConsumer;

/**
 * The program's numbers of the requests that are outstanding in a queue, oldest first. Allocates
 * only when more are outstanding than ever before. For one thread at a time.
 */
final class RequestNumbers {
  /** A ring; its length is a power of two. */
  private long[] numbers = new long[16];

  private int first;
  private int count;

  void add(long number) {
    if (count == numbers.length) {
      long[] longer = new long[2 * count];
      for (int i = 0; i < count; i++) {
        longer[i] = at(i);
      }
      numbers = longer;
      first = 0;
    }
    numbers[index(count)] = number;
    count++;
  }

  /** Removes the oldest. */
  void removeFirst(int removed) {
    first = index(removed);
    count -= removed;
  }

  /** Removes the oldest with this number; does nothing if there is none. */
  void remove(long number) {
    int place = 0;
    while (place < count && at(place) != number) {
      place++;
    }
    if (place == count) {
      return;
    }
    for (int i = place; i > 0; i--) {
      numbers[index(i)] = at(i - 1);
    }
    removeFirst(1);
  }

  /** Removes ascending numbers up to this one; returns whether it was among them. */
  boolean removeUpTo(long number) {
    boolean found = false;
    while (count > 0 && at(0) <= number) {
      found = at(0) == number;
      removeFirst(1);
    }
    return found;
  }

  void forEach(LongConsumer action) {
    for (int i = 0; i < count; i++) {
      action.accept(at(i));
    }
  }

  void clear() {
    count = 0;
  }

  private long at(int place) {
    return numbers[index(place)];
  }

  private int index(int place) {
    return first + place & numbers.length - 1;
  }
}
