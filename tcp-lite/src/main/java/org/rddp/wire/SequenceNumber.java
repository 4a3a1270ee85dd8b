package org.rddp.wire;

/**
 * Arithmetic on numbers modulo 2^32: TCP sequence numbers (RFC 9293 section 3.4) and timestamps
 * (RFC 7323 section 5.2). A number is before another if it is less than 2^31 behind it.
 */
public final class SequenceNumber {
  private SequenceNumber() {}

  /** How far {@code to} lies ahead of {@code from}; negative when it lies behind. */
  public static int distance(int from, int to) {
    return to - from;
  }

  /** Whether {@code a} comes before {@code b}. */
  public static boolean before(int a, int b) {
    return a - b < 0;
  }

  /** Whether {@code a} comes after {@code b}. */
  public static boolean after(int a, int b) {
    return b - a < 0;
  }
}
