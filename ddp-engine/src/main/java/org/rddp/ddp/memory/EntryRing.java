package org.rddp.ddp.memory;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.rddp.snapshot.Snapshot;

/**
 * A bounded FIFO queue that reuses its entries. It creates only as many entries as have been in use
 * at a time, so a deep queue with few entries in use costs little. It keeps them until the {@link
 * QueueMemory} of its program makes it shrink.
 *
 * @param <T> the entries
 */
public final class EntryRing<T> {
  /** Entries that a ring always keeps and that do not count. */
  static final int KEPT = 4;

  private static final int FEWEST = 2;

  /** The most octets of a reference to an entry. */
  private static final int REFERENCE = 8;

  private final int capacity;
  private final Supplier<T> maker;
  private final int octetsEach;
  private final QueueMemory memory;

  /** Its length is a power of two, or 0. */
  private Object[] entries = {};

  private int first;
  private int size;

  /**
   * Creates an empty ring that keeps all of its entries, which nothing counts.
   *
   * @param capacity the most entries it holds, 1 to 2^24
   * @param maker creates the entries
   */
  public EntryRing(int capacity, Supplier<T> maker) {
    this(capacity, maker, 0, null);
  }

  /**
   * Creates an empty ring.
   *
   * @param capacity the most entries it holds, 1 to 2^24
   * @param maker creates the entries
   * @param octets the most octets of heap that an entry takes, with everything that belongs to it
   * @param memory the bound that counts the entries; null for none
   */
  public EntryRing(int capacity, Supplier<T> maker, int octets, QueueMemory memory) {
    if (capacity < 1 || capacity > 1 << 24) {
      throw new IllegalArgumentException("a queue holds 1 to 2^24 entries: " + capacity);
    }
    this.capacity = capacity;
    this.maker = maker;
    this.octetsEach = octets + REFERENCE;
    this.memory = memory;
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
    int length = Math.max(FEWEST, 2 * size);
    if (memory != null && length > KEPT) {
      boolean counts = size > KEPT;
      long added = counts ? length - size : length;
      memory.grow(this, added * octetsEach, !counts);
    }
    Object[] more = new Object[length];
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
    // An entry may be of any class; getClass reads its header.
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
    return removed;
  }

  /** Octets of its entries, in use or not. */
  long octets() {
    return (long) entries.length * octetsEach;
  }

  /**
   * Frees most entries that are not in use. Returns whether more than {@link #KEPT} are left, so
   * that it still counts.
   */
  boolean shrink() {
    int length = Math.max(KEPT, Integer.highestOneBit(Math.max(size, 1) * 2 - 1));
    if (length < entries.length) {
      Object[] kept = new Object[length];
      for (int i = 0; i < length; i++) {
        kept[i] = entry(first + i);
      }
      entries = kept;
      first = 0;
    }
    return length > KEPT;
  }

  @SuppressWarnings("unchecked") // only entries of type T are stored
  private T entry(int index) {
    return (T) entries[index & (entries.length - 1)];
  }

  /**
   * Transfers how many entries are in use, and these; when read, none are before.
   *
   * @param name of the ring
   * @param each transfers an entry, which has the contents of its last use when it is read
   */
  public void transfer(Snapshot snapshot, String name, Consumer<T> each) {
    int count = snapshot.number(name, size, 0, capacity);
    for (int i = 0; i < count; i++) {
      each.accept(snapshot.reads() ? add() : get(i));
    }
  }
}
