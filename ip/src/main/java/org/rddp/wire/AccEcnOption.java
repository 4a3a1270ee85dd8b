package org.rddp.wire;

/**
 * The AccECN option (RFC 9768 section 3.2.3): the lowest 24 bits of what a receiver has counted of
 * octets with each codepoint. Its kind says their order, its length how many there are.
 */
public final class AccEcnOption {
  /** Octets of {@link #put} with two counters, which are a multiple of four. */
  public static final int SHORT = 8;

  /** Octets of {@link #put} with three counters, padding included. */
  public static final int LONG = 12;

  /** The kind whose first counter is that of ECT(0), and whose last that of ECT(1). */
  static final int KIND_0 = 172;

  /** The kind with ECT(1) first and ECT(0) last. */
  static final int KIND_1 = 174;

  private static final int ABSENT = -1;
  private static final int HEAD = 2;
  private static final int FIELD = 3;
  private static final int NO_OPERATION = 1;
  private static final int MASK = 0xffffff;

  private boolean present;
  private int ect0;
  private int ce;
  private int ect1;

  AccEcnOption() {
    clear();
  }

  void clear() {
    present = false;
    ect0 = ABSENT;
    ce = ABSENT;
    ect1 = ABSENT;
  }

  /** Takes the whole counters of an option of any length, and ignores what else it has. */
  void take(boolean first, long at, int length) {
    clear();
    present = true;
    int leading = field(at, length, 0);
    ce = field(at, length, 1);
    int trailing = field(at, length, 2);
    ect0 = first ? leading : trailing;
    ect1 = first ? trailing : leading;
  }

  private static int field(long at, int length, int index) {
    int from = HEAD + index * FIELD; // ACC-3.2.3-02
    return from + FIELD > length
        ? ABSENT
        : (Memory.getByte(at + from) << 16) | Memory.getShort(at + from + 1);
  }

  /** Whether the segment has the option, with or without counters. */
  public boolean present() {
    return present;
  }

  /** The counter of octets with ECT(0), 24 bits, or -1 if it is absent. */
  public int ect0() {
    return ect0;
  }

  /** The counter of octets with CE, 24 bits, or -1 if it is absent. */
  public int ce() {
    return ce;
  }

  /** The counter of octets with ECT(1), 24 bits, or -1 if it is absent. */
  public int ect1() {
    return ect1;
  }

  /** Whether a counter that begins with 1 is zero: something on the path has zeroed it. */
  public boolean zeroed() {
    return ect0 == 0 || ect1 == 0;
  }

  /**
   * Writes an option.
   *
   * @param octets {@link #SHORT} for the first two counters, {@link #LONG} for all
   * @param ect1First whether ECT(1) comes first, and ECT(0) last
   * @return its partial sum
   */
  public static long put(long at, int octets, boolean ect1First, int ect0, int ce, int ect1) {
    int first = (ect1First ? ect1 : ect0) & MASK; // ACC-3.2.3.1-01
    int last = (ect1First ? ect0 : ect1) & MASK;
    int fields = octets == LONG ? 3 : 2;
    int kind = ect1First ? KIND_1 : KIND_0; // ACC-3.2.3-01
    int one = (kind << 24) | ((HEAD + fields * FIELD) << 16) | (first >>> 8);
    int two = (first << 24) | (ce & MASK);
    Memory.putInt(at, one);
    Memory.putInt(at + 4, two);
    long sum = Integer.toUnsignedLong(one) + Integer.toUnsignedLong(two);
    if (octets == SHORT) {
      return sum;
    }
    int three = (last << 8) | NO_OPERATION;
    Memory.putInt(at + 8, three);
    return sum + Integer.toUnsignedLong(three);
  }
}
