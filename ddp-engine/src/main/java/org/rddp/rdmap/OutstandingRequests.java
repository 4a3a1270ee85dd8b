package org.rddp.rdmap;

import org.rddp.ddp.memory.EntryRing;

/**
 * Our reads and atomics without response. At most ORD of them have been sent to the peer; the
 * responses arrive in the order of the requests (RFC 5040 section 5.5, RFC 7306 section 5.3).
 */
final class OutstandingRequests {
  private final EntryRing<OutstandingRequest> requests;
  private int ord;
  private int started;

  /** Message Sequence Number of the first request. */
  private int firstMsn = 1;

  /**
   * Creates an empty queue.
   *
   * @param depth the most requests
   * @param ord the most requests sent and not answered
   */
  OutstandingRequests(int depth, int ord) {
    requests = new EntryRing<>(depth, OutstandingRequest::new);
    this.ord = ord;
  }

  /** Lowers ORD to the negotiated value. */
  void limit(int most) {
    ord = Math.min(ord, most);
  }

  /** Whether ORD is 0, so that the peer accepts no request. */
  boolean closed() {
    return ord == 0;
  }

  /** Appends a request and returns it. */
  OutstandingRequest add() {
    return requests.add();
  }

  boolean isEmpty() {
    return requests.isEmpty();
  }

  /** Whether another request may be sent. */
  boolean mayStart() {
    return started < ord;
  }

  /** Whether all requests sent have been answered. */
  boolean noneAtPeer() {
    return started == 0;
  }

  /** The next request has been sent. */
  void start() {
    started++;
  }

  /** The request that the next response is for, or null if none has been sent. */
  OutstandingRequest awaited() {
    return started == 0 ? null : requests.first();
  }

  /** Whether a range of octets is missing in any read that has been sent. */
  boolean awaits(int stag, long to, int octets) {
    for (int i = 0; i < started; i++) {
      if (requests.get(i).awaits(stag, to, octets)) {
        return true;
      }
    }
    return false;
  }

  /** Skips the Message Sequence Number of a message that is not in this queue, the RTR. */
  void skip() {
    firstMsn++;
  }

  /** The request that was sent with a Message Sequence Number, or null. */
  OutstandingRequest atPeer(int msn) {
    int index = msn - firstMsn;
    return index < 0 || index >= started ? null : requests.get(index);
  }

  /** Removes the first request, which has been answered. */
  void removeFirst() {
    started--;
    firstMsn++;
    requests.removeFirst();
  }

  /**
   * Removes the first request, which will not be answered; returns its number, or -1 if none is
   * left.
   */
  long abandonFirst() {
    started = 0;
    return requests.isEmpty() ? -1 : requests.removeFirst().number();
  }
}
