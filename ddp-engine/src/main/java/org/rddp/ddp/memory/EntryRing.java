package org.rddp.ddp.memory;

import java.util.function.Supplier;

/**
 * A bounded FIFO queue that reuses its entries. It creates only as many entries as have been in use
 * at a time, and keeps at most {@value #KEPT} when it is emptied, so a deep queue costs little if
 * few entries are in use.
 *
 * @param <T> the entries
 */
public final class EntryRing<T> {
  /** The most entries that an empty ring keeps: the usual depth of a connection's queue. */
  static final int KEPT = 256;

  private static final int FEWEST = 2;

  private final int capacity;
  private final Supplier<T> maker;

  /** Its length is a power of two, or 0. */
  private Object[] entries = {};

  private int first;
  private int size;

  /**
   * Creates an empty ring.
   *
   * @param capacity the most entries it holds, 1 to 2^24
   * @param maker creates the entries
   */
  public EntryRing(int capacity, Supplier<T> maker) {
    if (capacity < 1 || capacity > 1 << 24) {
      throw new IllegalArgumentException("a queue holds 1 to 2^24 entries: " + capacity);
    }
    this.capacity = capacity;
    this.maker = maker;
  }

  /** Number of entries in use. */
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

  /** Whether no entry can be added. */
  public boolean isFull() {
    return size == capacity;
  }

  /**
   * Appends an entry and returns it, with the contents of its last use. The ring must not be full.
   */
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

  /**
   * Touches the cache lines that {@link #add} reads, and the entry; the result only keeps the JIT
   * from removing the loads.
   */
  public int prefetch() {
    if (entries.length == 0) {
      return size;
    }
    // An entry may be of any class: what every object has is its header, which names the class.
    return entries[(first + size) & (entries.length - 1)].getClass() == maker.getClass() ? 1 : 0;
  }

  /** The entry at {@code index}, 0 being the first; less than {@link #size()}. */
  public T get(int index) {
    return entry(first + index);
  }

  /** The first entry; the ring must not be empty. */
  public T first() {
    return entry(first);
  }

  /** Removes the first entry. It keeps its contents until the next {@link #add()}. */
  public T removeFirst() {
    T removed = entry(first);
    first++;
    size--;
    if (size == 0 && entries.length > KEPT) {
      shrink();
    }
    return removed;
  }

  /** Keeps the entries that were removed last, the last one to be used again after the others. */
  private void shrink() {
    Object[] kept = new Object[KEPT];
    for (int i = 0; i < KEPT; i++) {
      kept[i] = entry(first - KEPT + i);
    }
    entries = kept;
    first = 0;
  }

  @SuppressWarnings("unchecked") // only entries of type T are stored
  private T entry(int index) {
    return (T) entries[index & (entries.length - 1)];
  }
}
