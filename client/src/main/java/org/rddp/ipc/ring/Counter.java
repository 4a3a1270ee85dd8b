package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** One of {@link Counters}. One thread writes it; any process may read it. Allocates nothing. */
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

  /** The present value. */
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

  /** Adds a number, which may be negative. */
  public void add(long number) {
    set(get() + number);
  }

  /** Takes the counter away: its name is free and readers no longer see it. Do not use it again. */
  public void remove() {
    counters.remove(at);
  }
}
