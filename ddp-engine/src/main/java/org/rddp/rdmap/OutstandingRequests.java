package org.rddp.rdmap;

import java.util.function.LongPredicate;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;

/**
 * Our reads and atomics that have been posted and not answered. At most ORD of them are at the
 * peer, which responds in the order of the requests (RFC 5040 section 5.5, RFC 7306 section 5.3).
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
   * @param memory the bound that counts the entries; null for none
   */
  OutstandingRequests(int depth, int ord, QueueMemory memory) {
    requests = new EntryRing<>(depth, OutstandingRequest::new, OutstandingRequest.OCTETS, memory);
    this.ord = ord;
  }

  /** Lowers ORD to the value that both ends have agreed on. */
  void limit(int most) {
    ord = Math.min(ord, most); // P2P-9.1-03
  }

  /** Whether ORD is 0. */
  boolean closed() {
    return ord == 0;
  }

  /** Appends a request, which the caller fills in. */
  OutstandingRequest add() {
    return requests.add();
  }

  boolean isEmpty() {
    return requests.isEmpty();
  }

  /** Whether another request may be sent. */
  boolean mayStart() {
    // P2P-9.1-03, RDMAPX-5.3-01; RDMAP-5.2-01: "MUST NOT exceed the maximum number of outstanding,
    // outbound RDMA Read Requests"
    return started < ord;
  }

  /** Whether no request is at the peer. */
  boolean noneAtPeer() {
    return started == 0;
  }

  /** Records that the next request has been sent. */
  void start() {
    started++;
  }

  /** The request at the peer whose response comes next, or null. */
  OutstandingRequest awaited() {
    return started == 0 ? null : requests.first();
  }

  /** Whether octets belong to the rest of a read at the peer. */
  boolean awaits(int stag, long to, int octets) {
    for (int i = 0; i < started; i++) {
      if (requests.get(i).awaits(stag, to, octets)) {
        return true;
      }
    }
    return false;
  }

  /** Counts an RTR message, which goes before all requests on their queue. */
  void skip() {
    firstMsn++;
  }

  /** The request at the peer with a Message Sequence Number, or null. */
  OutstandingRequest atPeer(int msn) {
    int index = msn - firstMsn;
    return index < 0 || index >= started ? null : requests.get(index);
  }

  /** Revokes the memory of requests, by their sequence numbers. */
  void revoke(LongPredicate sequences) {
    for (int i = 0; i < requests.size(); i++) {
      if (sequences.test(requests.get(i).sequence())) {
        requests.get(i).revoke();
      }
    }
  }

  /** Removes the first request, which has been answered. */
  void removeFirst() {
    started--;
    firstMsn++;
    requests.removeFirst();
  }

  /**
   * Removes the first request, which will not be answered; returns its sequence number, or -1 if
   * there is none.
   */
  long abandonFirst() {
    started = 0;
    return requests.isEmpty() ? -1 : requests.removeFirst().sequence();
  }

  /** Transfers the requests. */
  void transfer(Snapshot snapshot, Memories memories) {
    snapshot.begin(OutstandingRequests.class);
    ord = snapshot.number("ord", ord);
    requests.transfer(snapshot, "requests", each -> each.transfer(snapshot, memories));
    started = snapshot.number("started", started, 0, requests.size());
    firstMsn = snapshot.number("firstMsn", firstMsn);
    snapshot.end();
  }
}
