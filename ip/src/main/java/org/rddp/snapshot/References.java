package org.rddp.snapshot;

import java.util.IdentityHashMap;
import java.util.List;

/** Objects that a snapshot refers to by their number in a list. */
public final class References<T> {
  private static final int NONE = -1;
  private static final int GONE = -2;

  private final List<? extends T> objects;
  private final IdentityHashMap<T, Integer> numbers = new IdentityHashMap<>();

  /** Creates references to the objects of a list. */
  public References(List<? extends T> objects) {
    this.objects = objects;
    for (int i = 0; i < objects.size(); i++) {
      numbers.put(objects.get(i), i);
    }
  }

  /** Whether an object is in the list. */
  public boolean contain(T object) {
    return numbers.containsKey(object);
  }

  /** Transfers a reference; null is none. */
  public T transfer(Snapshot snapshot, String name, T object) {
    int number = object == null ? NONE : numbers.getOrDefault(object, objects.size());
    int taken = snapshot.number(name, number, NONE, objects.size() - 1);
    if (!snapshot.reads()) {
      if (number == objects.size()) {
        throw snapshot.wrong(name + " is none of the objects");
      }
      return object;
    }
    return taken == NONE ? null : objects.get(taken);
  }

  /** Transfers a reference that is not none. */
  public T require(Snapshot snapshot, String name, T object) {
    T taken = transfer(snapshot, name, object);
    if (taken == null) {
      throw snapshot.wrong(name + " is missing");
    }
    return taken;
  }

  /**
   * Transfers a reference to an object that may have been removed from the list; null is none.
   *
   * @param gone what the reader gets for an object that was not in the list
   */
  public T transfer(Snapshot snapshot, String name, T object, T gone) {
    int number = object == null ? NONE : numbers.getOrDefault(object, GONE);
    int taken = snapshot.number(name, number, GONE, objects.size() - 1);
    if (!snapshot.reads()) {
      return object;
    }
    return taken == GONE ? gone : taken == NONE ? null : objects.get(taken);
  }
}
