package org.rddp.ddp.memory;

/**
 * The pieces of memory that a message lies in, or is to be placed in, one after the other. To be
 * filled and handed to a post, which takes a copy; then it can be used again. Not thread-safe.
 */
public final class DdpScatterList {
  /** The most pieces. */
  public static final int MOST = 8;

  private final long[] addresses = new long[MOST];

  /** Where in the message each piece ends. */
  private final long[] ends = new long[MOST];

  private int count;

  /** Removes every piece. */
  public DdpScatterList clear() {
    count = 0;
    return this;
  }

  /**
   * Adds a piece behind the others; one without octets is left out.
   *
   * @param address of its first octet
   * @param length in octets, 0 to 2^32-1
   * @throws IllegalStateException if there are {@link #MOST}
   */
  public DdpScatterList add(long address, long length) {
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

  /** Octets of all pieces together. */
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
  public void set(DdpScatterList other) {
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

  /** Address of an octet of the message; 0 if that is not in a piece. */
  public long addressOf(long offset) {
    if (offset >= length()) {
      return 0;
    }
    int piece = pieceWith(offset);
    return addresses[piece] + offset - (piece == 0 ? 0 : ends[piece - 1]);
  }

  /** Octets from one of the message on that lie in the same piece; 0 if that is not in one. */
  public long remainingInPiece(long offset) {
    return offset >= length() ? 0 : ends[pieceWith(offset)] - offset;
  }
}
