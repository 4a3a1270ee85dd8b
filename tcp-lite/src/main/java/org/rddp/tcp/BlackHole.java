package org.rddp.tcp;

/**
 * A path that swallows large segments without a word (RFC 2923 section 2.1): when they time out
 * again and again the EMSS goes down in steps, and is tried again later (RFC 4821 section 7.7). In
 * octets and nanoseconds.
 */
final class BlackHole {
  /** Timeouts of a segment longer than those that have got through since the path changed. */
  private static final int SUSPICIOUS = 3;

  /** The same, when as long ones did, or none at all: it is rather the peer that is gone. */
  private static final int SUSPICIOUS_ALL_THE_SAME = 5;

  /**
   * What Ethernet carries, what IPv6 must, what hosts must take, and as little as routers are
   * believed to ask for.
   */
  private static final int[] STEPS = {1460, 1220, 536, 256};

  private static final long FIRST_TRIAL = 1_000_000_000L;
  private static final long LAST_TRIAL = 600_000_000_000L;

  private int emss;
  private long trialAt;
  private long interval = FIRST_TRIAL;
  private boolean trying;

  private BlackHole(int emss) {
    this.emss = emss;
  }

  /**
   * Whether a path looks like one.
   *
   * @param length of the segment that has timed out
   * @param timeouts in a row
   * @param largest segment that got through, 0 if none
   * @param options what TCP options took of it
   * @param again whether longer ones are known to be swallowed: otherwise what every host must take
   *     is not suspected
   */
  static boolean suspected(int length, int timeouts, int largest, int options, boolean again) {
    int enough = largest > 0 && length > largest ? SUSPICIOUS : SUSPICIOUS_ALL_THE_SAME;
    return timeouts >= enough && length + options > STEPS[STEPS.length - (again ? 1 : 2)];
  }

  /** A black hole that swallows segments of that length. */
  static BlackHole dropping(int length, int options, long now) {
    BlackHole hole = new BlackHole(length);
    hole.lower(length, options, now);
    return hole;
  }

  /**
   * Segments of that length did not get through.
   *
   * @param options what TCP options take of each segment
   */
  void lower(int length, int options, long now) {
    int next = STEPS.length - 1;
    while (next > 0 && STEPS[next - 1] - options < length) {
      next--;
    }
    emss = Math.min(STEPS[next] - options, length);
    trying = false;
    trialAt = now + interval;
  }

  /** Larger segments were tried, and did not get through: later the next time. */
  void trialFailed(long now) {
    interval = Math.min(10 * interval, LAST_TRIAL);
    trying = false;
    trialAt = now + interval;
  }

  /** What gets through. */
  int emss() {
    return emss;
  }

  /** Whether it is time to try larger segments again. */
  boolean trialDue(long now) {
    return !trying && now >= trialAt;
  }

  /** Larger segments are being tried. */
  void startTrial() {
    trying = true;
  }

  /** Whether larger segments are being tried: one timeout is enough then. */
  boolean inTrial() {
    return trying;
  }
}
