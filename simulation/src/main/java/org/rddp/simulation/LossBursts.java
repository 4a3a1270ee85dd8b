package org.rddp.simulation;

import java.util.SplittableRandom;

/**
 * Times at which nearly everything is lost: a wire changes between good and bad by chance (the
 * model of Gilbert and Elliott). The times are exponentially distributed and go by whether frames
 * come or not, so that a sender that waits finds the wire good again.
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

  /** Whether the wire is bad now. */
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
