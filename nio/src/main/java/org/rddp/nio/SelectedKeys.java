package org.rddp.nio;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The selected keys of a selector: others remove keys only. A key knows its place, so that nothing
 * is allocated but by {@link #iterator}.
 */
final class SelectedKeys extends AbstractSet<SelectionKey> {
  private RddpKey[] keys = new RddpKey[16];
  private int size;

  /** Adds a key of the selector. Returns false if it is there already. */
  boolean put(RddpKey key) {
    if (key.selected >= 0) {
      return false;
    }
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, 2 * size);
    }
    key.selected = size;
    keys[size++] = key;
    return true;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean contains(Object key) {
    return key instanceof RddpKey own
        && own.selected >= 0
        && own.selected < size
        && keys[own.selected] == own;
  }

  @Override
  public boolean remove(Object key) {
    if (!contains(key)) {
      return false;
    }
    RddpKey removed = (RddpKey) key;
    RddpKey last = keys[--size];
    keys[removed.selected] = last;
    last.selected = removed.selected;
    keys[size] = null;
    removed.selected = -1;
    return true;
  }

  @Override
  public void clear() {
    while (size > 0) {
      RddpKey last = keys[--size];
      keys[size] = null;
      last.selected = -1;
    }
  }

  /** From the last to the first, so that the key that takes the place of a removed one was seen. */
  @Override
  public Iterator<SelectionKey> iterator() {
    return new Backwards();
  }

  private final class Backwards implements Iterator<SelectionKey> {
    private int next = size - 1;
    private RddpKey seen;

    @Override
    public boolean hasNext() {
      return next >= 0;
    }

    @Override
    public SelectionKey next() {
      if (next < 0) {
        throw new NoSuchElementException();
      }
      if (next >= size) {
        throw new ConcurrentModificationException();
      }
      seen = keys[next--];
      return seen;
    }

    @Override
    public void remove() {
      if (seen == null || !SelectedKeys.this.remove(seen)) {
        throw new IllegalStateException();
      }
      seen = null;
    }
  }
}
