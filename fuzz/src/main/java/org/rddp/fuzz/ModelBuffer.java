package org.rddp.fuzz;

import java.util.BitSet;

/** A receive in the fuzzed memory, octet by octet (RFC 5041 section 5.3). */
final class ModelBuffer {
  private static final int MOST_PIECES = 64;

  final long id;
  final int offset;
  final int length;
  private final BitSet placed = new BitSet();

  /** The message's last segment; null until it has come. */
  byte[] last;

  ModelBuffer(long id, int offset, int length) {
    this.id = id;
    this.offset = offset;
    this.length = length;
  }

  /** Octets of the message, once it is whole. */
  int octets() {
    return placed.length();
  }

  /**
   * The error that a segment is, or null; then it is placed.
   *
   * @param mo Message Offset, unsigned
   * @param payload octets
   * @param needsNoMemory whether it is whole Immediate Data
   */
  String place(long mo, int payload, boolean ends, boolean needsNoMemory) {
    if (last != null) {
      return "1/2/3";
    }
    if (payload > 0 && !needsNoMemory && mo >= length) {
      return "1/2/4";
    }
    if (payload > 0 && !needsNoMemory && mo + payload > length) {
      return "1/2/5";
    }
    int from = payload > 0 ? (int) mo : placed.length();
    BitSet after = (BitSet) placed.clone();
    after.set(from, from + payload);
    boolean whole = after.nextClearBit(0) >= after.length() && after.length() <= from + payload;
    if ((ends && !whole) || pieces() >= MOST_PIECES) {
      return "1/2/4";
    }
    placed.or(after);
    return null;
  }

  private int pieces() {
    int pieces = 0;
    for (int at = placed.nextSetBit(0); at >= 0; at = placed.nextSetBit(placed.nextClearBit(at))) {
      pieces++;
    }
    return pieces;
  }
}
