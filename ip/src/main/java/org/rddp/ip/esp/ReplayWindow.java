package org.rddp.ip.esp;

import java.util.Arrays;
import org.rddp.snapshot.Snapshot;

/**
 * The sequence numbers received on an association: detects packets that come again, and those that
 * are too old to tell (RFC 4303 section 3.4.3), by the ring of bits of RFC 6479. With extended
 * sequence numbers it also finds the high 32 bits, which are not in the packet (appendix A2).
 *
 * <p>Numbers are unsigned; the first packet has 1.
 */
public final class ReplayWindow {
  /** The usual number of packets in the window. */
  public static final int USUAL = 1024;

  /** The fewest packets that the window may have (RFC 4303 section 3.4.3). */
  public static final int LEAST = 32;

  /** The most packets that the window may have. */
  public static final int MOST = 1 << 16;

  /** No packet can have such a number. */
  public static final long INVALID = 0;

  private static final int WORD_BITS = 6;
  private static final int LOW_BITS = 32;
  private static final long LOW = 0xffff_ffffL;
  private static final long MOST_HIGH = LOW;

  private final int size;
  private final boolean esn;

  /**
   * Bits by number modulo their count, a power of two at least 64 larger than the window. Those of
   * numbers above {@link #top} in its word are 0.
   */
  private final long[] bits;

  /** The largest number received. */
  private long top;

  /**
   * Creates a window in which nothing has been received.
   *
   * @param size packets in the window, {@link #LEAST} to {@link #MOST}
   * @param esn whether sequence numbers have 64 bits
   */
  public ReplayWindow(int size, boolean esn) {
    this(size, esn, 0);
  }

  /**
   * Creates a window of an association whose first packets were received elsewhere.
   *
   * @param top the largest number received; nothing up to it is accepted
   */
  public ReplayWindow(int size, boolean esn, long top) {
    if (size < LEAST || size > MOST) {
      throw new IllegalArgumentException(
          "a replay window of " + size + " packets; it has " + LEAST + " to " + MOST);
    }
    this.size = size;
    this.esn = esn;
    this.top = top;
    int words = Math.ceilDiv(size, Long.SIZE) + 1;
    bits = new long[Integer.highestOneBit(words - 1) << 1];
    Arrays.fill(bits, -1L);
    // The numbers above it in its word are new.
    bits[word(top)] = -1L >>> ~top;
  }

  /** Packets in the window. */
  public int size() {
    return size;
  }

  /** The largest number received; 0 for none. */
  public long top() {
    return top;
  }

  /**
   * The whole number of a packet by its low 32 bits (RFC 4303 appendix A2.2).
   *
   * @return {@link #INVALID} if no packet can have it
   */
  public long number(int low) {
    long received = low & LOW;
    if (!esn) {
      return received;
    }
    long topLow = top & LOW;
    long high = top >>> LOW_BITS;
    long bottom = topLow - size + 1 & LOW;
    if (topLow >= size - 1) {
      if (received < bottom) {
        high++;
      }
    } else if (received >= bottom) {
      high--;
    }
    return high < 0 || high > MOST_HIGH ? INVALID : high << LOW_BITS | received;
  }

  /** Whether a number is in the window or beyond it, and was not received. */
  public boolean isNew(long number) {
    if (number == INVALID) {
      return false;
    }
    if (Long.compareUnsigned(number, top) > 0) {
      return true;
    }
    return top - number < size && (bits[word(number)] & bit(number)) == 0;
  }

  /** Records a number that is {@linkplain #isNew new}, of an authentic packet. */
  public void add(long number) {
    if (Long.compareUnsigned(number, top) > 0) {
      long first = (top >>> WORD_BITS) + 1;
      long words = Math.min((number >>> WORD_BITS) - first + 1, bits.length);
      for (long i = 0; i < words; i++) {
        bits[(int) (first + i) & bits.length - 1] = 0;
      }
      top = number;
    }
    bits[word(number)] |= bit(number);
  }

  /** Transfers what has been received, of an association with the same settings. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(ReplayWindow.class);
    top = snapshot.number("top", top);
    snapshot.numbers("bits", bits, bits.length);
    snapshot.end();
  }

  private int word(long number) {
    return (int) (number >>> WORD_BITS) & bits.length - 1;
  }

  private static long bit(long number) {
    return 1L << number;
  }
}
