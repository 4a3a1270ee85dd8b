package org.rddp.client;

import java.io.IOException;
import java.util.function.ObjLongConsumer;
import org.rddp.ipc.ring.Counters;

/**
 * The daemon's counters, mapped into this program: for programs that read them often. {@link
 * Rddp#counters} is simpler. Thread-safe.
 *
 * <p>If another daemon goes on with the session, this goes on with the counters of that one, which
 * go on counting. After the end of daemon or session the values stay readable and no longer change.
 */
public final class CounterReader implements AutoCloseable {
  /** Opens the counters of the daemon that has the session now. */
  interface Opening {
    Counters open() throws IOException;
  }

  private final Opening opening;
  private Counters counters;

  CounterReader(Opening opening) throws IOException {
    this.opening = opening;
    counters = opening.open();
  }

  /**
   * Passes each counter's name and present value. The values are read one after the other.
   *
   * @throws IllegalStateException if this has been closed
   */
  public synchronized void forEach(ObjLongConsumer<String> visitor) {
    if (counters.move()) {
      follow();
    }
    counters.forEach(visitor);
  }

  private void follow() {
    try {
      Counters next = opening.open();
      counters.close();
      counters = next;
    } catch (IOException | RddpException e) {
      // The session has ended: the last values stay.
    }
  }

  /** Unmaps the counters. */
  @Override
  public synchronized void close() {
    counters.close();
  }
}
