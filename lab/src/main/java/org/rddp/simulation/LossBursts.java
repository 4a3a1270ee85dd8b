package org.rddp.simulation;

import java.util.SplittableRandom;

/**
 * Bursts of loss: a wire changes between good and bad at random (the model of Gilbert and Elliott).
 * The durations are exponentially distributed in time and do not depend on frames, so that a sender
 * that waits finds the wire good again.
 */
final class LossBursts {
  private static final int LONG_AGO = 100;

  private final SplittableRandom random;
  private final long length;
  private final long gap;
  private boolean bad;
  private long changeAt;

  LossBursts(WireSettings settings, SplittableRandom random, long now) {
    this.random = random;
    length = settings.burstLength();
    gap = settings.burstGap();
    changeAt = gap == Long.MAX_VALUE ? Long.MAX_VALUE : now + time(gap);
  }

  /** Whether frames are lost in a burst now. */
  boolean bad(long now) {
    if (now >= changeAt && now - changeAt > LONG_AGO * (gap + length)) {
      bad = false;
      changeAt = now + time(gap);
    }
    while (now >= changeAt) {
      bad = !bad;
      changeAt += 1 + time(bad ? length : gap);
    }
    return bad;
  }

  private long time(long average) {
    return (long) (-Math.log(1 - random.nextDouble()) * average);
  }
}
