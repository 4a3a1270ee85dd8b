package org.rddp.perf;

/**
 * The immediate data (RFC 7306) between a peer that measures throughput and the server: its kind in
 * the first octet, a number in the other seven.
 */
public final class LoadMessage {
  private static final int KIND_SHIFT = 56;
  private static final long NUMBER = (1L << KIND_SHIFT) - 1;
  private static final long GRANT = 1L << KIND_SHIFT;
  private static final long FLUSH = 2L << KIND_SHIFT;

  private LoadMessage() {}

  /** Allows the server to post this many more operations, 1 or more. */
  public static long grant(long operations) {
    return GRANT | operations;
  }

  /**
   * Asks the server to send this message back once it has posted all that it was granted, and its
   * Reads and atomics have their answers.
   *
   * @param number of the flush
   */
  public static long flush(long number) {
    return FLUSH | number;
  }

  /** Whether this is a grant. */
  public static boolean isGrant(long message) {
    return (message & ~NUMBER) == GRANT;
  }

  /** Whether this is a flush. */
  public static boolean isFlush(long message) {
    return (message & ~NUMBER) == FLUSH;
  }

  /** The number of operations of a grant. */
  public static long operations(long message) {
    return message & NUMBER;
  }
}
