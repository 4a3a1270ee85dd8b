package org.rddp.tcp.handshake;

import java.util.random.RandomGenerator;
import org.rddp.wire.TcpOptions;

/**
 * Handshakes without state (RFC 4987 section 3.6). When the backlog is full, the initial sequence
 * number of the SYN-ACK, the cookie, holds what must be known of the SYN, and a keyed hash proves
 * that it was us who made it: the acknowledgment brings it back, and with it the connection.
 *
 * <p>A cookie's bits, from the highest: 20 of a hash, the proof; 8 of another, the mark; 3 for the
 * peer's MSS, 1 for the period in which it was made. The hashes are over the connection, MSS and
 * period, the proof's over the peer's sequence number too, so that a cookie is good for nothing
 * else, and for one to two periods only. By the mark we know our cookies in later segments of the
 * peer's, whose sequence numbers are not that of the SYN any more.
 *
 * <p>What the peer can do with windows, SACK and ECN goes into the lowest bits of our timestamp, if
 * the peer knows timestamps; it comes back in the echo. The peer could lie there, but only about
 * itself.
 */
public final class SynCookies {
  /** How long a cookie's period lasts in nanoseconds. */
  public static final long PERIOD = 64_000_000_000L;

  /** The sizes that a cookie can tell: what links of today and their tunnels make common. */
  private static final int[] SIZES = {216, 536, 1220, 1360, 1440, 1460, 4312, 8960};

  private static final int SIZE_BITS = 3;
  private static final int MARK_SHIFT = SIZE_BITS + 1;
  private static final int MARK_BITS = 8;
  private static final int PROOF_SHIFT = MARK_SHIFT + MARK_BITS;
  private static final int OPTION_BITS = 6;
  private static final int OPTIONS = (1 << OPTION_BITS) - 1;
  private static final int NO_SCALE = 15;
  private static final int SACK = 1 << 4;
  private static final int ECN = 1 << 5;

  private final KeyedHash proofs;
  private final KeyedHash marks;

  public SynCookies(RandomGenerator random) {
    proofs = new KeyedHash(random);
    marks = new KeyedHash(random);
  }

  /** Whether a cookie can tell an MSS, or a lesser one that is not absurdly small. */
  public static boolean canEncode(int mss) {
    return mss >= SIZES[0];
  }

  /**
   * The initial sequence number that answers a SYN.
   *
   * @param key the connection's
   * @param sequence the SYN's sequence number
   * @param mss the peer's MSS, one that a cookie {@link #canEncode}
   */
  public int make(long key, int sequence, int mss, long now) {
    int size = SIZES.length - 1;
    while (SIZES[size] > mss) {
      size--;
    }
    return cookie(key, sequence, size, period(now));
  }

  /**
   * What a cookie that comes back tells.
   *
   * @param key the connection's
   * @param sequence the sequence number of the SYN
   * @param cookie our initial sequence number
   * @return the peer's MSS, or 0 when we have not made the cookie, or too long ago
   */
  public int check(long key, int sequence, int cookie, long now) {
    int size = size(cookie);
    boolean made = cookie(key, sequence, size, periodOf(cookie, now)) == cookie;
    return made ? SIZES[size] : 0;
  }

  /**
   * Whether a number bears the mark of our cookies for that connection, whatever the SYN's sequence
   * number was. One in 256 of other numbers does.
   */
  public boolean hasMark(long key, int cookie, long now) {
    int others = (1 << PROOF_SHIFT) - 1;
    return unproven(key, size(cookie), periodOf(cookie, now)) == (cookie & others);
  }

  private static int size(int cookie) {
    return (cookie >>> 1) & ((1 << SIZE_BITS) - 1);
  }

  private static long period(long now) {
    return Math.floorDiv(now, PERIOD);
  }

  /** The period in which a cookie was made: this one or the one before. */
  private static long periodOf(int cookie, long now) {
    long period = period(now);
    return ((period ^ cookie) & 1) == 0 ? period : period - 1;
  }

  private int cookie(long key, int sequence, int size, long period) {
    long data = ((long) sequence << 32) | Integer.toUnsignedLong(sizeAndPeriod(size, period));
    return (int) proofs.hash(key, data) << PROOF_SHIFT | unproven(key, size, period);
  }

  /** All of a cookie but the proof. */
  private int unproven(long key, int size, long period) {
    int mark = (int) marks.hash(key, sizeAndPeriod(size, period)) & ((1 << MARK_BITS) - 1);
    return (mark << MARK_SHIFT) | (size << 1) | (int) (period & 1);
  }

  private static int sizeAndPeriod(int size, long period) {
    return (int) (period << SIZE_BITS) + size;
  }

  /**
   * Our timestamp in the SYN-ACK: the latest, not after the clock's, whose lowest bits tell what
   * the SYN has offered.
   *
   * @param clock our timestamp clock
   */
  public static int timestamp(int clock, boolean sack, boolean ecn, TcpOptions offered) {
    int options = offered.windowScale() >= 0 ? offered.windowScale() : NO_SCALE;
    options |= sack ? SACK : 0;
    options |= ecn ? ECN : 0;
    int stamp = (clock & ~OPTIONS) | options;
    return stamp - clock > 0 ? stamp - (OPTIONS + 1) : stamp;
  }

  /** The shift of the peer's windows that an echoed timestamp tells, -1 for none. */
  public static int windowScale(int echo) {
    int scale = echo & NO_SCALE;
    return scale <= TcpOptions.LARGEST_SCALE ? scale : -1;
  }

  /** Whether an echoed timestamp tells that SACK is permitted. */
  public static boolean sack(int echo) {
    return (echo & SACK) != 0;
  }

  /** Whether an echoed timestamp tells that ECN was asked for. */
  public static boolean ecn(int echo) {
    return (echo & ECN) != 0;
  }
}
