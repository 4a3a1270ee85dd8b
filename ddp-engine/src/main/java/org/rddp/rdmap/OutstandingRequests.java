package org.rddp.rdmap;

import org.rddp.ddp.memory.EntryRing;

/**
 * The reads and atomics of ours that have been posted and not answered. At most ORD of them are at
 * the peer; their answers come in the order of the requests (RFC 5040 section 5.5, RFC 7306 section
 * 5.3).
 */
final class OutstandingRequests {
  private final EntryRing<OutstandingRequest> requests;
  private int ord;
  private int started;

  /** Message Sequence Number of the first request. */
  private int firstMsn = 1;

  /**
   * An empty queue.
   *
   * @param depth the most requests that may be posted
   * @param ord the most that may be at the peer
   */
  OutstandingRequests(int depth, int ord) {
    requests = new EntryRing<>(depth, OutstandingRequest::new);
    this.ord = ord;
  }

  /** Both ends have agreed: no more than {@code most} may be at the peer. */
  void limit(int most) {
    ord = Math.min(ord, most);
  }

  /** Whether the peer takes no request at all. */
  boolean closed() {
    return ord == 0;
  }

  /** Appends a request, to be filled in. */
  OutstandingRequest add() {
    return requests.add();
  }

  boolean isEmpty() {
    return requests.isEmpty();
  }

  /** Whether another request may go to the peer. */
  boolean mayStart() {
    return started < ord;
  }

  /** Whether nothing is at the peer that has no answer. */
  boolean noneAtPeer() {
    return started == 0;
  }

  /** The next request has gone to the peer. */
  void start() {
    started++;
  }

  /** The request that is to be answered next, or null if the peer has none. */
  OutstandingRequest awaited() {
    return started == 0 ? null : requests.first();
  }

  /** Whether octets are what is still to come of any read that the peer has. */
  boolean awaits(int stag, long to, int octets) {
    for (int i = 0; i < started; i++) {
      if (requests.get(i).awaits(stag, to, octets)) {
        return true;
      }
    }
    return false;
  }

  /** A message that is none of these has a number before theirs. */
  void skip() {
    firstMsn++;
  }

  /** The request that has gone to the peer with a Message Sequence Number, or null. */
  OutstandingRequest atPeer(int msn) {
    int index = msn - firstMsn;
    return index < 0 || index >= started ? null : requests.get(index);
  }

  /** The awaited request has its answer. */
  void removeFirst() {
    started--;
    firstMsn++;
    requests.removeFirst();
  }

  /** Takes out a request that will have no answer; -1 if there is none left, else its number. */
  long abandonFirst() {
    started = 0;
    return requests.isEmpty() ? -1 : requests.removeFirst().number();
  }
}
