package org.rddp.transfer;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Rules for the window of a file transfer, common to both ends. */
final class TransferWindow {
  /** Parts of a window: one is written while the other is drained. */
  static final int PARTS = 2;

  /** Octets of the smallest window. */
  static final long SMALLEST = 2;

  private static final long LARGEST_PART = 1 << 28;

  private TransferWindow() {}

  /** Octets of a part of a window. */
  static long partOctets(long window) {
    return Math.min(window / PARTS, LARGEST_PART);
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
