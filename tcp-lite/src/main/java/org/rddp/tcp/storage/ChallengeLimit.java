package org.rddp.tcp.storage;

import java.util.random.RandomGenerator;
import org.rddp.snapshot.Snapshot;

/**
 * Limits challenge ACKs per second over all connections (RFC 5961 section 7). The limit is drawn at
 * random each second. With a constant one, an attacker could use up the rest on a connection of its
 * own and so find out whether a forged segment has caused a challenge ACK on another
 * (CVE-2016-5696).
 */
public final class ChallengeLimit {
  private static final long SECOND = 1_000_000_000L;

  private final RandomGenerator random;
  private final int most;
  private long second = Long.MIN_VALUE;
  private int left;

  /**
   * Creates a limit.
   *
   * @param most greatest limit per second, at least 1; the least is half of it
   */
  public ChallengeLimit(RandomGenerator random, int most) {
    this.random = random;
    this.most = most;
  }

  /** Counts a challenge ACK; false if it exceeds the limit of this second. */
  public boolean tryAcquire(long now) {
    long current = Math.floorDiv(now, SECOND);
    if (current != second) {
      second = current;
      int least = (most + 1) / 2;
      left = least + random.nextInt(most - least + 1);
    }
    return left > 0 && left-- > 0;
  }

  /** Transfers its state. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(ChallengeLimit.class);
    second = snapshot.number("second", second);
    left = snapshot.number("left", left);
    snapshot.end();
  }
}
