package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.DdpError;

/**
 * A queue for short messages that the user reads where they arrived, in one segment each. It has
 * places instead of buffers: a message takes one, and the user gives it back when it is done with
 * what the message asked for. A message without a place finds no buffer.
 */
public final class InPlaceQueue {
  private final int limit;
  private int nextMsn;
  private int places;

  /**
   * A queue with all its places free.
   *
   * @param limit octets of the longest message
   * @param firstMsn the number of the first message
   */
  InPlaceQueue(int places, int limit, int firstMsn) {
    this.places = places;
    this.limit = limit;
    nextMsn = firstMsn;
  }

  /** What is wrong with a segment, or null (RFC 5041 section 7.1). */
  DdpError refusal(int msn, int mo, int octets, boolean last) {
    int ahead = msn - nextMsn;
    if (ahead < 0) {
      return DdpError.MSN_RANGE;
    }
    if (ahead >= places) {
      return DdpError.NO_BUFFER;
    }
    if (ahead > 0) {
      // The one before it is not complete: the peer does not send in order.
      return DdpError.MSN_RANGE;
    }
    if (octets > limit) {
      return DdpError.MESSAGE_TOO_LONG;
    }
    boolean whole = last && (mo == 0 || octets == 0);
    return whole ? null : DdpError.INVALID_MO;
  }

  /** The next message takes a place. */
  void takePlace() {
    places--;
    nextMsn++;
  }

  /** A place is free again. */
  public void releasePlace() {
    places++;
  }
}
