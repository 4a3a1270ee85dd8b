package org.rddp.client;

import java.util.function.ObjLongConsumer;
import org.rddp.ipc.ring.Counters;

/**
 * The daemon's counters, mapped into this program: for programs that read them often. {@link
 * Rddp#counters} is simpler. Thread-safe.
 *
 * <p>After the end of daemon or session the values stay readable and no longer change.
 */
public final class CounterReader implements AutoCloseable {
  private final Counters counters;

  CounterReader(Counters counters) {
    this.counters = counters;
  }

  /**
   * Passes each counter's name and present value. The values are read one after the other.
   *
   * @throws IllegalStateException if this has been closed
   */
  public void forEach(ObjLongConsumer<String> visitor) {
    counters.forEach(visitor);
  }

  /** Unmaps the counters. */
  @Override
  public void close() {
    counters.close();
  }
}
