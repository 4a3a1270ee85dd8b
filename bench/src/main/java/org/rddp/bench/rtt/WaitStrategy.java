package org.rddp.bench.rtt;

import java.io.IOException;

/**
 * How a thread waits for the other end: by looking again at once, or, where more threads than cores
 * must take turns, by offering its core to the others now and then. It ends, after a while.
 */
final class WaitStrategy {
  private static final long LONGEST = 10_000_000_000L;

  /** Looks between two glances at the clock. */
  private static final int GLANCE = 0xffff;

  /** Looks before the core is offered to others. */
  private static final int OFFER = 0x3f;

  private final boolean yields;
  private int looks;
  private long began;

  /** One that looks at once, or one that yields. */
  WaitStrategy(boolean yields) {
    this.yields = yields;
  }

  /** A new wait. */
  void reset() {
    looks = 0;
    began = 0;
  }

  /** Between two looks. */
  @SuppressWarnings("ThreadPriorityCheck") // Engines that yield, too, are to get their turn.
  void idle() throws IOException {
    looks++;
    if (yields && (looks & OFFER) == 0) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
    if ((looks & GLANCE) == 0) {
      glance();
    }
  }

  private void glance() throws IOException {
    long now = System.nanoTime();
    if (began == 0) {
      began = now;
    } else if (now - began > LONGEST) {
      throw new IOException("no message for " + LONGEST / 1_000_000_000 + " s");
    }
  }
}
