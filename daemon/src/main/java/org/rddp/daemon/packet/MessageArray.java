package org.rddp.daemon.packet;

import org.rddp.wire.Memory;

/**
 * An array of {@code struct mmsghdr}, for sendmmsg(2) and recvmmsg(2). Each message is a {@link
 * VirtioHeader} and pieces of memory behind it.
 */
final class MessageArray {
  private static final int MESSAGE = 64;
  private static final int VECTOR = 16;
  private static final int PIECES_AT = 16;
  private static final int PIECE_COUNT_AT = 24;
  private static final int FLAGS_AT = 48;
  private static final int LENGTH_AT = 56;
  private static final int MSG_TRUNC = 0x20;

  /** Octets from one header to the next. */
  private static final int HEADER = 16;

  private final long messages;
  private final long vectors;
  private final long headers;
  private final int pieces;

  /**
   * Creates messages, with headers only.
   *
   * @param count messages
   * @param pieces the most pieces of each behind its header
   */
  MessageArray(int count, int pieces) {
    this.pieces = 1 + pieces;
    messages = Memory.allocate((long) count * MESSAGE);
    vectors = Memory.allocate((long) count * this.pieces * VECTOR);
    headers = Memory.allocate((long) count * HEADER);
    Memory.fill(messages, (long) count * MESSAGE, 0);
    for (int i = 0; i < count; i++) {
      Memory.putLongNative(message(i) + PIECES_AT, vector(i, 0));
      put(vector(i, 0), header(i), VirtioHeader.OCTETS);
    }
  }

  private long vector(int message, int piece) {
    return vectors + ((long) message * pieces + piece) * VECTOR;
  }

  private static void put(long vector, long address, int octets) {
    Memory.putLongNative(vector, address);
    Memory.putLongNative(vector + Long.BYTES, octets);
  }

  /** Address of a message, and of those that follow it. */
  long message(int message) {
    return messages + (long) message * MESSAGE;
  }

  /** Address of a message's header. */
  long header(int message) {
    return headers + (long) message * HEADER;
  }

  /** Sets a piece of a message, from 0. */
  void piece(int message, int piece, long address, int octets) {
    put(vector(message, 1 + piece), address, octets);
  }

  /** Sets how many pieces a message has. */
  void pieces(int message, int count) {
    Memory.putLongNative(message(message) + PIECE_COUNT_AT, 1 + count);
  }

  /** Octets of a received message without its header; -1 if it did not fit the pieces. */
  int received(int message) {
    boolean cut = (Memory.getIntNative(message(message) + FLAGS_AT) & MSG_TRUNC) != 0;
    int length = Memory.getIntNative(message(message) + LENGTH_AT) - VirtioHeader.OCTETS;
    return cut ? -1 : length;
  }
}
