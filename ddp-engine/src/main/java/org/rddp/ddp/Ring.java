package org.rddp.ddp;

import java.util.function.Supplier;

/**
 * A bounded queue of entries that are made once and used again.
 *
 * @param <T> the entries
 */
public final class Ring<T> {
  private final Object[] entries;
  private final int mask;
  private final int capacity;
  private int first;
  private int size;

  /**
   * An empty ring.
   *
   * @param capacity the most entries it holds, 1 to 2^24
   * @param maker makes the entries
   */
  public Ring(int capacity, Supplier<T> maker) {
    if (capacity < 1 || capacity > 1 << 24) {
      throw new IllegalArgumentException("a queue holds 1 to 2^24 entries: " + capacity);
    }
    this.capacity = capacity;
    entries = new Object[Integer.highestOneBit(2 * capacity - 1)];
    mask = entries.length - 1;
    for (int i = 0; i < entries.length; i++) {
      entries[i] = maker.get();
    }
  }

  /** How many entries are in use. */
  public int size() {
    return size;
  }

  /** The most entries it holds. */
  public int capacity() {
    return capacity;
  }

  /** Whether no entry is in use. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Whether {@link #add()} has nothing to give. */
  public boolean isFull() {
    return size == capacity;
  }

  /** Appends an entry, as it was left when last used; to be filled in. The ring is not full. */
  public T add() {
    return entry(first + size++);
  }

  /** The entry {@code index} places behind the first, less than {@link #size()}. */
  public T get(int index) {
    return entry(first + index);
  }

  /** The first entry; the ring is not empty. */
  public T first() {
    return entry(first);
  }

  /** Removes the first entry. It keeps its contents until the next {@link #add()}. */
  public T removeFirst() {
    T removed = entry(first);
    first++;
    size--;
    return removed;
  }

  @SuppressWarnings("unchecked") // the constructor put nothing but T into it
  private T entry(int index) {
    return (T) entries[index & mask];
  }
}
