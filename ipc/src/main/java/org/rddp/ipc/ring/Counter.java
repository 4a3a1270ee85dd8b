package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** One of {@link Counters}. Written by one thread, read by any process. Allocates nothing. */
public final class Counter {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final Counters counters;
  private final MemorySegment memory;
  private final long at;

  Counter(Counters counters, MemorySegment memory, long at) {
    this.counters = counters;
    this.memory = memory;
    this.at = at;
  }

  /** The current value. */
  public long get() {
    return (long) LONG.getOpaque(memory, at);
  }

  /** Sets the value. */
  public void set(long value) {
    LONG.setOpaque(memory, at, value);
  }

  /** Adds 1. */
  public void increment() {
    set(get() + 1);
  }

  /** Adds a number; it may be negative. */
  public void add(long number) {
    set(get() + number);
  }

  /** Removes the counter: readers no longer see it. It must not be used again. */
  public void remove() {
    counters.remove(at);
  }
}
