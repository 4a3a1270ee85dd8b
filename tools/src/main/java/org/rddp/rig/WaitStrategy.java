package org.rddp.rig;

import java.io.IOException;
import org.rddp.client.Rddp;

/**
 * Waits for the other end by polling. If there are more busy threads than cores, it also yields now
 * and then. It gives up after ten seconds. For one thread.
 */
public final class WaitStrategy {
  private static final long LONGEST = 10_000_000_000L;

  /** A power of 2, less one: polls between two readings of the clock. */
  private static final int CLOCK_MASK = 0xffff;

  /** A power of 2, less one: polls between two yields. */
  private static final int YIELD_MASK = 0xf;

  /**
   * Whether there are too few cores for an engine, two programs that poll, and all else: then a
   * program that polls should yield.
   */
  public static final boolean FEW_CORES = Runtime.getRuntime().availableProcessors() < 4;

  /** Through which it yields; null if it does not. */
  private final Rddp session;

  private final Runnable meanwhile;
  private int polls;
  private long began;

  private WaitStrategy(Rddp session, Runnable meanwhile) {
    this.session = session;
    this.meanwhile = meanwhile;
  }

  /** A strategy that spins. */
  public static WaitStrategy spinning() {
    return new WaitStrategy(null, null);
  }

  /** A strategy that also yields, through a session. */
  public static WaitStrategy yielding(Rddp session) {
    return new WaitStrategy(session, null);
  }

  /** A strategy that does other work between polls. */
  public static WaitStrategy working(Runnable meanwhile) {
    return new WaitStrategy(null, meanwhile);
  }

  /** Begins another wait. */
  public void reset() {
    polls = 0;
    began = 0;
  }

  /**
   * To be called between two polls.
   *
   * @throws IOException when the wait takes too long
   */
  public void idle() throws IOException {
    polls++;
    if (meanwhile != null) {
      meanwhile.run();
    } else if (session != null && (polls & YIELD_MASK) == 0) {
      session.yieldProcessor();
    } else {
      Thread.onSpinWait();
    }
    if ((polls & CLOCK_MASK) == 0) {
      checkTime();
    }
  }

  private void checkTime() throws IOException {
    long now = System.nanoTime();
    if (began == 0) {
      began = now;
    } else if (now - began > LONGEST) {
      throw new IOException("no message for " + LONGEST / 1_000_000_000 + " s");
    }
  }
}
