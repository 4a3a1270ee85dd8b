package org.rddp.rdmap;

import org.rddp.ddp.Ring;

/**
 * The reads of ours that have been posted and not answered. At most ORD of them are at the peer;
 * their answers come in the order of the requests (RFC 5040 section 5.5).
 */
final class ReadQueue {
  private final Ring<OutstandingRead> reads;
  private final int ord;
  private int started;

  /**
   * An empty queue.
   *
   * @param depth the most reads that may be posted
   * @param ord the most that may be at the peer
   */
  ReadQueue(int depth, int ord) {
    reads = new Ring<>(depth, OutstandingRead::new);
    this.ord = ord;
  }

  void add(long number, int sinkStag, long sinkTo, long length) {
    reads.add().begin(number, sinkStag, sinkTo, length);
  }

  boolean isEmpty() {
    return reads.isEmpty();
  }

  /** Whether another request may go to the peer. */
  boolean mayStart() {
    return started < ord;
  }

  /** The next request has gone to the peer. */
  void start() {
    started++;
  }

  /** The read that is to be answered next, or null if the peer has none. */
  OutstandingRead awaited() {
    return started == 0 ? null : reads.first();
  }

  /** Whether octets are what is still to come of any read that the peer has. */
  boolean awaits(int stag, long to, int octets) {
    for (int i = 0; i < started; i++) {
      if (reads.get(i).awaits(stag, to, octets)) {
        return true;
      }
    }
    return false;
  }

  /** The awaited read has its answer. */
  void removeFirst() {
    started--;
    reads.removeFirst();
  }

  /** Takes out a read that will have no answer; -1 if there is none left, else its number. */
  long abandonFirst() {
    started = 0;
    return reads.isEmpty() ? -1 : reads.removeFirst().number();
  }
}
