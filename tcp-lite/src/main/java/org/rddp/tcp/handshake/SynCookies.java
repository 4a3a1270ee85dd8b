package org.rddp.tcp.handshake;

import java.util.random.RandomGenerator;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.TcpOptions;

/**
 * SYN cookies: handshakes without state (RFC 4987 section 3.6). The initial sequence number of the
 * SYN-ACK, the cookie, encodes the peer's MSS and carries a keyed hash that proves that we made it.
 * The acknowledgment returns it, and the connection is made only then.
 *
 * <p>A cookie's bits, from the highest: 20 of a hash, the proof; 8 of another hash, the mark; 3 for
 * the peer's MSS; 1 for the period in which the cookie was made. Both hashes cover the connection,
 * the MSS and the period, the proof also the peer's sequence number. So a cookie is valid for one
 * connection and for one to two periods only. The mark identifies our cookies in later segments of
 * the peer, whose sequence numbers are not the SYN's.
 *
 * <p>If the peer uses timestamps, the lowest bits of our timestamp encode its window scale, SACK
 * and ECN, and its echo returns them. A peer that forges them harms only itself.
 */
public final class SynCookies {
  /** Length of a period in nanoseconds. */
  public static final long PERIOD = 64_000_000_000L;

  /** The MSS values that a cookie can encode: those common on links and tunnels. */
  private static final int[] SIZES = {
    SynNegotiation.LEAST_MSS, 536, 1220, 1360, 1440, 1460, 4312, 8960
  };

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

  /** Creates cookies with two random keys. */
  public SynCookies(RandomGenerator random) {
    proofs = new KeyedHash(random);
    marks = new KeyedHash(random);
  }

  /**
   * The initial sequence number that answers a SYN.
   *
   * @param key of the connection
   * @param sequence of the SYN
   * @param mss of the peer, at least the least that a cookie encodes; it is rounded down
   */
  public int make(long key, int sequence, int mss, long now) {
    int size = SIZES.length - 1;
    while (SIZES[size] > mss) {
      size--;
    }
    return cookie(key, sequence, size, period(now));
  }

  /**
   * Checks a cookie.
   *
   * @param key of the connection
   * @param sequence of the SYN
   * @param cookie our initial sequence number
   * @return the peer's MSS, or 0 if the cookie is forged or too old
   */
  public int check(long key, int sequence, int cookie, long now) {
    int size = size(cookie);
    boolean made = cookie(key, sequence, size, periodOf(cookie, now)) == cookie;
    return made ? SIZES[size] : 0;
  }

  /** The MSS that a valid cookie encodes. */
  static int mss(int cookie) {
    return SIZES[size(cookie)];
  }

  /**
   * Whether a number has the mark of our cookies for a connection, for any sequence number of the
   * SYN. One in 256 other numbers has it, too.
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

  /** The period in which a cookie was made: this one or the previous one. */
  private static long periodOf(int cookie, long now) {
    long period = period(now);
    return ((period ^ cookie) & 1) == 0 ? period : period - 1;
  }

  private int cookie(long key, int sequence, int size, long period) {
    long data = ((long) sequence << 32) | Integer.toUnsignedLong(sizeAndPeriod(size, period));
    return (int) proofs.hash(key, data) << PROOF_SHIFT | unproven(key, size, period);
  }

  /** A cookie without its proof. */
  private int unproven(long key, int size, long period) {
    int mark = (int) marks.hash(key, sizeAndPeriod(size, period)) & ((1 << MARK_BITS) - 1);
    return (mark << MARK_SHIFT) | (size << 1) | (int) (period & 1);
  }

  private static int sizeAndPeriod(int size, long period) {
    return (int) (period << SIZE_BITS) + size;
  }

  /**
   * Our timestamp in the SYN-ACK: the latest one up to the clock whose lowest bits encode the offer
   * of the SYN.
   *
   * @param clock of our timestamps
   */
  public static int timestamp(int clock, boolean sack, boolean ecn, TcpOptions offered) {
    int options = offered.windowScale() >= 0 ? offered.windowScale() : NO_SCALE;
    options |= sack ? SACK : 0;
    options |= ecn ? ECN : 0;
    int stamp = (clock & ~OPTIONS) | options;
    return stamp - clock > 0 ? stamp - (OPTIONS + 1) : stamp;
  }

  /** The shift of the peer's windows that an echoed timestamp encodes, -1 for none. */
  public static int windowScale(int echo) {
    int scale = echo & NO_SCALE;
    return scale <= TcpOptions.LARGEST_SCALE ? scale : -1;
  }

  /** Whether an echoed timestamp encodes SACK-permitted. */
  public static boolean sack(int echo) {
    return (echo & SACK) != 0;
  }

  /** Whether an echoed timestamp encodes that the SYN offered ECN. */
  public static boolean ecn(int echo) {
    return (echo & ECN) != 0;
  }

  /** Transfers the keys. */
  void transfer(Snapshot snapshot) {
    proofs.transfer(snapshot);
    marks.transfer(snapshot);
  }
}
