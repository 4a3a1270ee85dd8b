package org.rddp.simulation;

import java.util.Arrays;

/**
 * Virtual time, and the events that are scheduled, in a heap. Time stands still while an event
 * runs, and then advances to the next one. Events of the same time run in the order in which they
 * were scheduled. Allocates only when the heap grows.
 */
public final class EventQueue {
  private long[] times = new long[256];
  private long[] orders = new long[256];
  private long[] arguments = new long[256];
  private Event[] events = new Event[256];
  private int size;
  private long order;
  private long now;

  /** An empty queue at the given time, in nanoseconds. */
  public EventQueue(long now) {
    this.now = now;
  }

  /** The time in nanoseconds. */
  public long now() {
    return now;
  }

  /** The time of the next event; {@link Long#MAX_VALUE} if there is none. */
  public long next() {
    return size == 0 ? Long.MAX_VALUE : times[0];
  }

  /**
   * Schedules an event.
   *
   * @param time when it runs; an event in the past runs as soon as possible
   * @param argument passed to the event
   */
  public void schedule(long time, Event event, long argument) {
    if (size == times.length) {
      grow();
    }
    place(rise(size++, Math.max(time, now)), Math.max(time, now), order++, event, argument);
  }

  /**
   * Runs the next event.
   *
   * @return false if there is none
   */
  public boolean step() {
    if (size == 0) {
      return false;
    }
    Event event = events[0];
    long argument = arguments[0];
    now = times[0];
    removeFirst();
    event.run(argument);
    return true;
  }

  private void removeFirst() {
    size--;
    long time = times[size];
    long last = orders[size];
    Event event = events[size];
    long argument = arguments[size];
    events[size] = null;
    if (size > 0) {
      place(sink(time, last), time, last, event, argument);
    }
  }

  /** Finds the place of an event that comes after all others of its time; returns its index. */
  private int rise(int from, long time) {
    int index = from;
    while (index > 0) {
      int parent = (index - 1) >>> 1;
      if (times[parent] <= time) {
        break;
      }
      move(parent, index);
      index = parent;
    }
    return index;
  }

  /** Finds the place of an event from the root down; returns its index. */
  private int sink(long time, long last) {
    int index = 0;
    while (true) {
      int child = 2 * index + 1;
      if (child >= size) {
        return index;
      }
      if (child + 1 < size && before(child + 1, times[child], orders[child])) {
        child++;
      }
      if (!before(child, time, last)) {
        return index;
      }
      move(child, index);
      index = child;
    }
  }

  private boolean before(int index, long time, long last) {
    return times[index] < time || (times[index] == time && orders[index] < last);
  }

  private void move(int from, int to) {
    place(to, times[from], orders[from], events[from], arguments[from]);
  }

  private void place(int index, long time, long place, Event event, long argument) {
    times[index] = time;
    orders[index] = place;
    events[index] = event;
    arguments[index] = argument;
  }

  private void grow() {
    times = Arrays.copyOf(times, size * 2);
    orders = Arrays.copyOf(orders, size * 2);
    arguments = Arrays.copyOf(arguments, size * 2);
    events = Arrays.copyOf(events, size * 2);
  }
}
