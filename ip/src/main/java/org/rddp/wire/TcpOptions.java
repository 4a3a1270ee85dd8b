package org.rddp.wire;

/**
 * The options of one TCP header (RFC 9293 section 3.2, RFC 7323, RFC 2018, RFC 9768), parsed into
 * fields. An instance is reused for every segment.
 */
public final class TcpOptions {
  private static final int END = 0;
  private static final int NO_OPERATION = 1;
  private static final int MSS = 2;
  private static final int WINDOW_SCALE = 3;
  private static final int SACK_PERMITTED = 4;
  private static final int SACK = 5;
  private static final int TIMESTAMPS = 8;

  /** Octets of {@link #putMss}. */
  public static final int MSS_LENGTH = 4;

  /** Octets of {@link #putWindowScale}, padding included. */
  public static final int WINDOW_SCALE_LENGTH = 4;

  /** Octets of {@link #putTimestamps}, padding included. */
  public static final int TIMESTAMPS_LENGTH = 12;

  /** Octets of {@link #putSackPermitted}, padding included. */
  public static final int SACK_PERMITTED_LENGTH = 4;

  /** Octets of {@link #putSack} before the first block, padding included. */
  public static final int SACK_LENGTH = 4;

  /** Octets of {@link #putSackBlock}. */
  public static final int SACK_BLOCK_LENGTH = 8;

  /** The most SACK blocks that the longest header holds (RFC 2018 section 3). */
  public static final int MOST_SACK_BLOCKS = 4;

  /** The largest shift that a window may be scaled by (RFC 7323 section 2.3). */
  public static final int LARGEST_SCALE = 14;

  private static final int PADDED_TIMESTAMPS =
      (NO_OPERATION << 24) | (NO_OPERATION << 16) | (TIMESTAMPS << 8) | 10;
  private static final int PADDED_SCALE = (NO_OPERATION << 24) | (WINDOW_SCALE << 16) | (3 << 8);

  private static final int PADDED_SACK_PERMITTED =
      (NO_OPERATION << 24) | (NO_OPERATION << 16) | (SACK_PERMITTED << 8) | 2;
  private static final int PADDED_SACK = (NO_OPERATION << 24) | (NO_OPERATION << 16) | (SACK << 8);

  /** The AccECN option. */
  public final AccEcnOption accEcn = new AccEcnOption();

  private final int[] sackLeft = new int[MOST_SACK_BLOCKS];
  private final int[] sackRight = new int[MOST_SACK_BLOCKS];
  private int sackBlocks;
  private boolean sackPermitted;
  private int mss;
  private int windowScale;
  private boolean timestamps;
  private int timestampValue;
  private int timestampEcho;

  /** Creates an instance without options; {@link #parse} sets them. */
  public TcpOptions() {
    clear();
  }

  /**
   * Parses the options of a well-formed header. Unknown options are skipped.
   *
   * @param headerLength octets of the header with its options
   * @return false if the length of an option is invalid; the segment must be dropped
   */
  public boolean parse(long segment, int headerLength) {
    clear();
    long at = segment + Tcp.HEADER;
    if (headerLength == Tcp.HEADER + TIMESTAMPS_LENGTH && Memory.getInt(at) == PADDED_TIMESTAMPS) {
      takeTimestamps(at + 4);
      return true;
    }
    long end = segment + headerLength;
    while (at < end) {
      int kind = Memory.getByte(at);
      if (kind == END) {
        return true;
      }
      if (kind == NO_OPERATION) {
        at++;
        continue;
      }
      if (at + 2 > end) {
        return false;
      }
      int length = Memory.getByte(at + 1);
      if (length < 2 || at + length > end || !take(kind, at, length)) {
        return false;
      }
      at += length;
    }
    return true;
  }

  private boolean take(int kind, long at, int length) {
    switch (kind) {
      case MSS -> {
        if (length != 4) {
          return false;
        }
        mss = Memory.getShort(at + 2);
      }
      case WINDOW_SCALE -> {
        if (length != 3) {
          return false;
        }
        windowScale = Math.min(Memory.getByte(at + 2), LARGEST_SCALE);
      }
      case SACK_PERMITTED -> {
        if (length != 2) {
          return false;
        }
        sackPermitted = true;
      }
      case SACK -> {
        return takeSack(at + 2, length - 2);
      }
      case TIMESTAMPS -> {
        if (length != 10) {
          return false;
        }
        takeTimestamps(at + 2);
      }
      case AccEcnOption.KIND_0, AccEcnOption.KIND_1 ->
          accEcn.take(kind == AccEcnOption.KIND_0, at, length);
      default -> {}
    }
    return true;
  }

  private void takeTimestamps(long at) {
    timestamps = true;
    timestampValue = Memory.getInt(at);
    timestampEcho = Memory.getInt(at + 4);
  }

  /** Parses SACK blocks, 1 to 4. */
  private boolean takeSack(long at, int octets) {
    if (octets == 0 || octets % SACK_BLOCK_LENGTH != 0) {
      return false;
    }
    sackBlocks = octets / SACK_BLOCK_LENGTH;
    for (int i = 0; i < sackBlocks; i++) {
      sackLeft[i] = Memory.getInt(at + (long) i * SACK_BLOCK_LENGTH);
      sackRight[i] = Memory.getInt(at + (long) i * SACK_BLOCK_LENGTH + 4);
    }
    return true;
  }

  private void clear() {
    sackBlocks = 0;
    sackPermitted = false;
    mss = 0;
    windowScale = -1;
    timestamps = false;
    timestampValue = 0;
    timestampEcho = 0;
    accEcn.clear();
  }

  /** The smallest shift with which a window of that many octets fits its field. */
  public static int windowShift(int octets) {
    int shift = 0;
    while (octets >>> shift > 0xffff) {
      shift++;
    }
    return shift;
  }

  /** The maximum segment size in octets, 0 if the option is absent. */
  public int mss() {
    return mss;
  }

  /** The window's shift, 0 to 14, or -1 if the option is absent. */
  public int windowScale() {
    return windowScale;
  }

  /** Whether the SACK-permitted option is present, which has a meaning only in a SYN. */
  public boolean sackPermitted() {
    return sackPermitted;
  }

  /** Number of SACK blocks, 0 to 4. */
  public int sackBlocks() {
    return sackBlocks;
  }

  /** The sequence number of the first octet of block {@code index}; not validated. */
  public int sackLeft(int index) {
    return sackLeft[index];
  }

  /** The sequence number behind the last octet of block {@code index}; not validated. */
  public int sackRight(int index) {
    return sackRight[index];
  }

  /** Whether the timestamps option is present. */
  public boolean timestamps() {
    return timestamps;
  }

  /** TSval. */
  public int timestampValue() {
    return timestampValue;
  }

  /** TSecr. */
  public int timestampEcho() {
    return timestampEcho;
  }

  /**
   * Writes the MSS option, four octets.
   *
   * @return its partial sum
   */
  public static long putMss(long at, int mss) {
    int option = (MSS << 24) | (4 << 16) | mss;
    Memory.putInt(at, option);
    return Integer.toUnsignedLong(option);
  }

  /**
   * Writes the window scale option after a no-operation, four octets.
   *
   * @return its partial sum
   */
  public static long putWindowScale(long at, int shift) {
    Memory.putInt(at, PADDED_SCALE | shift);
    return Integer.toUnsignedLong(PADDED_SCALE | shift);
  }

  /**
   * Writes the timestamps option after two no-operations, twelve octets.
   *
   * @return its partial sum
   */
  public static long putTimestamps(long at, int value, int echo) {
    Memory.putInt(at, PADDED_TIMESTAMPS);
    Memory.putInt(at + 4, value);
    Memory.putInt(at + 8, echo);
    return PADDED_TIMESTAMPS + Integer.toUnsignedLong(value) + Integer.toUnsignedLong(echo);
  }

  /**
   * Writes the SACK-permitted option after two no-operations, four octets.
   *
   * @return its partial sum
   */
  public static long putSackPermitted(long at) {
    Memory.putInt(at, PADDED_SACK_PERMITTED);
    return Integer.toUnsignedLong(PADDED_SACK_PERMITTED);
  }

  /**
   * Writes the head of a SACK option after two no-operations, four octets; its blocks follow.
   *
   * @param blocks how many, 1 to 4
   * @return its partial sum
   */
  public static long putSack(long at, int blocks) {
    int head = PADDED_SACK | (2 + blocks * SACK_BLOCK_LENGTH);
    Memory.putInt(at, head);
    return Integer.toUnsignedLong(head);
  }

  /**
   * Writes one block of a SACK option, eight octets.
   *
   * @param left sequence number of its first octet
   * @param right sequence number behind its last octet
   * @return its partial sum
   */
  public static long putSackBlock(long at, int left, int right) {
    Memory.putInt(at, left);
    Memory.putInt(at + 4, right);
    return Integer.toUnsignedLong(left) + Integer.toUnsignedLong(right);
  }
}
