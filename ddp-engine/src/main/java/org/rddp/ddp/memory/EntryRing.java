package org.rddp.ddp.memory;

import java.util.function.Supplier;

/**
 * A bounded queue of entries that are made once and used again: as many as have ever been in use at
 * a time, so that a deep queue costs nothing where few of its places are used.
 *
 * @param <T> the entries
 */
public final class EntryRing<T> {
  private static final int FEWEST = 2;

  private final int capacity;
  private final Supplier<T> maker;

  /** A power of two of them, or none. */
  private Object[] entries = {};

  private int first;
  private int size;

  /**
   * An empty ring.
   *
   * @param capacity the most entries it holds, 1 to 2^24
   * @param maker makes the entries
   */
  public EntryRing(int capacity, Supplier<T> maker) {
    if (capacity < 1 || capacity > 1 << 24) {
      throw new IllegalArgumentException("a queue holds 1 to 2^24 entries: " + capacity);
    }
    this.capacity = capacity;
    this.maker = maker;
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
    if (size == entries.length) {
      grow();
    }
    return entry(first + size++);
  }

  private void grow() {
    Object[] more = new Object[Math.max(FEWEST, 2 * size)];
    for (int i = 0; i < more.length; i++) {
      more[i] = i < size ? entry(first + i) : maker.get();
    }
    entries = more;
    first = 0;
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

  @SuppressWarnings("unchecked") // nothing but T is put into it
  private T entry(int index) {
    return (T) entries[index & (entries.length - 1)];
  }
}
