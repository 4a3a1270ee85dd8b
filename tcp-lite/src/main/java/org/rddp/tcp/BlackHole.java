package org.rddp.tcp;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.rddp.snapshot.Snapshot;

/**
 * A path MTU black hole: a path that drops large segments without an ICMP message (RFC 2923 section
 * 2.1). After repeated timeouts EMSS is lowered in steps; larger segments are tried again later
 * (RFC 4821 section 7.7). Lengths in octets, times in nanoseconds.
 */
final class BlackHole {
  /** Timeouts that make a path suspicious, for a segment longer than any acknowledged on it. */
  private static final int SUSPICIOUS = 3;

  /**
   * The number if segments as long were acknowledged, or none: then the peer is more likely dead.
   */
  private static final int SUSPICIOUS_ALL_THE_SAME = 5;

  /**
   * Octets of the longest packets by steps: for Ethernet, for segments as long as those in the
   * least MTU of IPv6, for the least MTU of hosts, and for the least MTU accepted from routers.
   */
  private static final int[] STEPS = {1500, 1260, 576, 296};

  /** Steps over IPv6, whose links carry 1280 octets (RFC 8201 section 4). */
  private static final int[] IPV6_STEPS = {1500, 1280};

  /** The last step to take before the path is known to be a black hole. */
  private static final int LEAST_OF_HOSTS = 2;

  private static final long FIRST_TRIAL = 1_000_000_000L;
  private static final long LAST_TRIAL = 600_000_000_000L;

  private int emss;
  private long trialAt;
  private long interval = FIRST_TRIAL;
  private boolean trying;

  private BlackHole(int emss) {
    this.emss = emss;
  }

  /** EMSS of each step, the longest first, by EMSS of a packet of so many octets. */
  static int[] steps(boolean ipv6, IntUnaryOperator emss) {
    return Arrays.stream(ipv6 ? IPV6_STEPS : STEPS).map(emss).toArray();
  }

  /**
   * Whether a path seems to be a black hole.
   *
   * @param length of the segment that has timed out
   * @param timeouts in a row
   * @param largest segment that was acknowledged, 0 if none
   * @param again whether the path is known to drop longer segments; otherwise segments that every
   *     host must accept raise no suspicion
   * @param steps EMSS of each
   */
  static boolean suspected(int length, int timeouts, int largest, boolean again, int[] steps) {
    int least = again ? steps.length - 1 : Math.min(LEAST_OF_HOSTS, steps.length - 1);
    int enough = largest > 0 && length > largest ? SUSPICIOUS : SUSPICIOUS_ALL_THE_SAME;
    return timeouts >= enough && length > steps[least];
  }

  /** Creates a black hole that drops segments of the given length. */
  static BlackHole dropping(int length, int[] steps, long now) {
    BlackHole hole = new BlackHole(length);
    hole.lower(length, steps, now);
    return hole;
  }

  /**
   * Lowers EMSS because segments of the given length are dropped, too.
   *
   * @param steps EMSS of each
   */
  void lower(int length, int[] steps, long now) {
    int next = steps.length - 1;
    while (next > 0 && steps[next - 1] < length) {
      next--;
    }
    emss = Math.min(steps[next], length);
    trying = false;
    trialAt = now + interval;
  }

  /**
   * Ends a failed trial of larger segments; waits ten times as long for the next, up to ten
   * minutes.
   */
  void trialFailed(long now) {
    interval = Math.min(10 * interval, LAST_TRIAL);
    trying = false;
    trialAt = now + interval;
  }

  /** Octets of the longest segments taken to pass. */
  int emss() {
    return emss;
  }

  /** Whether it is time to try larger segments again. */
  boolean trialDue(long now) {
    return !trying && now >= trialAt;
  }

  /** Starts a trial of larger segments. */
  void startTrial() {
    trying = true;
  }

  /** Whether larger segments are being tried: a single timeout ends the trial. */
  boolean inTrial() {
    return trying;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(BlackHole.class);
    emss = snapshot.number("emss", emss);
    trialAt = snapshot.number("trialAt", trialAt);
    interval = snapshot.number("interval", interval);
    trying = snapshot.flag("trying", trying);
    snapshot.end();
  }

  /** A black hole that nothing is known of, before its state is transferred. */
  static BlackHole unknown() {
    return new BlackHole(0);
  }
}
