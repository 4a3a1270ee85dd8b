package org.rddp.tcp.storage;

import java.util.random.RandomGenerator;

/**
 * How many challenge ACKs may leave (RFC 5961 section 7). They are counted over all connections,
 * and the number per second is drawn anew each second: were it constant, an attacker who uses up
 * the rest of it on a connection of its own could tell whether a forged segment of his has drawn
 * one on another's (CVE-2016-5696).
 */
public final class ChallengeLimit {
  private static final long SECOND = 1_000_000_000L;

  private final RandomGenerator random;
  private final int most;
  private long second = Long.MIN_VALUE;
  private int left;

  /**
   * A limit.
   *
   * @param most challenge ACKs in a second at most, at least 1; half of that is always there
   */
  public ChallengeLimit(RandomGenerator random, int most) {
    this.random = random;
    this.most = most;
  }

  /** Takes one of those that are left; false when there is none. */
  public boolean tryAcquire(long now) {
    long current = Math.floorDiv(now, SECOND);
    if (current != second) {
      second = current;
      int least = (most + 1) / 2;
      left = least + random.nextInt(most - least + 1);
    }
    return left > 0 && left-- > 0;
  }
}
