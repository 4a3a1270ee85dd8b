package org.rddp.ipc.ring;

import org.rddp.client.types.RequestForm;

/**
 * The pieces of memory of one work request, by STag, offset and length, in the order of the
 * message. Reused; one thread.
 */
public final class StagPieces {
  /** The most pieces: two in each further slot of a request. */
  public static final int MOST = 2 * (WorkRequest.MAX_SLOTS - 1);

  private final int[] stags = new int[MOST];
  private final long[] offsets = new long[MOST];
  private final long[] lengths = new long[MOST];
  private int count;
  private long length;

  /** Removes every piece. */
  public void clear() {
    count = 0;
    length = 0;
  }

  /**
   * Adds a piece behind the others.
   *
   * @param offset in the region, 0 or more
   * @param octets of it, 0 or more
   * @throws IllegalStateException if there are {@link #MOST}, or the message would be longer than
   *     {@link RequestForm#MAX_LENGTH}
   */
  public void add(int stag, long offset, long octets) {
    if (count == MOST) {
      throw new IllegalStateException(
          "the list has %d pieces, the most that a message may lie in".formatted(MOST));
    }
    if (octets > RequestForm.MAX_LENGTH - length) {
      throw new IllegalStateException(
          "a piece of %d octets behind %d makes a message of more than %d"
              .formatted(octets, length, RequestForm.MAX_LENGTH));
    }
    stags[count] = stag;
    offsets[count] = offset;
    lengths[count] = octets;
    length += octets;
    count++;
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /** The slots of a request whose message lies in them. One piece needs no list. */
  public int slots() {
    return count == 1 ? 1 : WorkRequest.slotsForPieces(count);
  }

  /** Octets of all together. */
  public long length() {
    return length;
  }

  int stag(int piece) {
    return stags[piece];
  }

  long offset(int piece) {
    return offsets[piece];
  }

  long length(int piece) {
    return lengths[piece];
  }
}
