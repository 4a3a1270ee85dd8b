package org.rddp.wire;

/**
 * Arithmetic on numbers modulo 2^32: TCP sequence numbers (RFC 9293 section 3.4) and timestamps
 * (RFC 7323 section 5.2). A number is before another if the distance to it is less than 2^31.
 */
public final class SequenceNumber {
  private SequenceNumber() {}

  /** The distance from {@code from} to {@code to}; negative if {@code to} is before. */
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
