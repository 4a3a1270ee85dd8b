package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.DdpError;
import org.rddp.snapshot.Snapshot;

/**
 * A queue for short messages of one segment each that the user reads in place. It has places
 * instead of buffers: a message takes one, and the user releases it when it has processed the
 * message. A message without a free place is refused like one without a buffer.
 */
public final class InPlaceQueue {
  private final int limit;
  private int nextMsn;
  private int places;

  /**
   * Creates a queue with all places free.
   *
   * @param limit octets of the longest message
   * @param firstMsn the number of the first message
   */
  InPlaceQueue(int places, int limit, int firstMsn) {
    this.places = places;
    this.limit = limit;
    nextMsn = firstMsn;
  }

  /** The reason to refuse a segment, or null (RFC 5041 section 7.1). */
  DdpError refusal(int msn, int mo, int octets, boolean last) {
    int ahead = msn - nextMsn;
    if (ahead < 0) {
      return DdpError.MSN_RANGE;
    }
    if (ahead >= places) {
      return DdpError.NO_BUFFER; // DDP-7.1-02, RDMAP-5.2-02
    }
    if (ahead > 0) {
      // The message before it is incomplete: the peer does not send in order.
      return DdpError.MSN_RANGE;
    }
    if (octets > limit) {
      return DdpError.MESSAGE_TOO_LONG;
    }
    boolean whole = last && (mo == 0 || octets == 0);
    return whole ? null : DdpError.INVALID_MO;
  }

  /** Takes a place for the next message. */
  void takePlace() {
    // RDMAP-5.2-07, RDMAP-5.4-04, RDMAPX-5.2-04, RDMAPX-5.2-10: "MUST consume one Untagged Buffer"
    places--;
    nextMsn++;
  }

  /** Releases a place. */
  public void releasePlace() {
    places++;
  }

  /** Transfers the number of the next message and the free places. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(InPlaceQueue.class);
    nextMsn = snapshot.number("nextMsn", nextMsn);
    places = snapshot.number("places", places);
    snapshot.end();
  }
}
