package org.rddp.ddp.memory;

import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;

/**
 * The pieces of memory that a message is sent from or placed in, in order. A post copies the list,
 * so it can be reused at once. Not thread-safe.
 */
public final class AddressPieces {
  /** The most pieces: as many as a program may name. */
  public static final int MOST = 6;

  private final long[] addresses = new long[MOST];

  /** Offset in the message at which each piece ends. */
  private final long[] ends = new long[MOST];

  private int count;

  /** Removes all pieces. */
  public AddressPieces clear() {
    count = 0;
    return this;
  }

  /**
   * Appends a piece; an empty one is skipped.
   *
   * @param address of its first octet
   * @param length in octets, 0 to 2^32-1
   * @throws IllegalStateException if the list already has {@link #MOST} pieces
   */
  public AddressPieces add(long address, long length) {
    if (length == 0) {
      return this;
    }
    if (count == MOST) {
      throw new IllegalStateException("more than " + MOST + " pieces");
    }
    addresses[count] = address;
    ends[count] = length() + length;
    count++;
    return this;
  }

  /** Total octets of all pieces. */
  public long length() {
    return count == 0 ? 0 : ends[count - 1];
  }

  /** How many pieces there are. */
  public int count() {
    return count;
  }

  /** Address of the first octet; 0 if there is none. */
  public long address() {
    return count == 0 ? 0 : addresses[0];
  }

  /** Makes this a copy of another. */
  public void set(AddressPieces other) {
    count = other.count;
    System.arraycopy(other.addresses, 0, addresses, 0, count);
    System.arraycopy(other.ends, 0, ends, 0, count);
  }

  private int pieceWith(long offset) {
    int piece = 0;
    while (ends[piece] <= offset) {
      piece++;
    }
    return piece;
  }

  /** Address of the octet at an offset of the message; 0 if the offset is not in a piece. */
  public long addressOf(long offset) {
    if (offset >= length()) {
      return 0;
    }
    int piece = pieceWith(offset);
    return addresses[piece] + offset - (piece == 0 ? 0 : ends[piece - 1]);
  }

  /**
   * Octets from an offset of the message to the end of its piece; 0 if the offset is not in a
   * piece.
   */
  public long remainingInPiece(long offset) {
    return offset >= length() ? 0 : ends[pieceWith(offset)] - offset;
  }

  /** Transfers the pieces. */
  public void transfer(Snapshot snapshot, Memories memories) {
    snapshot.begin(AddressPieces.class);
    count = snapshot.number("count", count, 0, MOST);
    long start = 0;
    for (int i = 0; i < count; i++) {
      ends[i] = snapshot.number("ends", ends[i], start + 1, Long.MAX_VALUE);
      addresses[i] = memories.transfer(snapshot, "addresses", addresses[i], ends[i] - start);
      start = ends[i];
    }
    snapshot.end();
  }
}
