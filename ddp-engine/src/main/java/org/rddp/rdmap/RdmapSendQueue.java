package org.rddp.rdmap;

import java.util.function.LongPredicate;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.memory.StreamRequest;

/**
 * The sends, writes, reads, atomics and local operations of a stream from post to completion. They
 * complete in the order in which they were posted (RFC 5040 section 5.5 rule 15), but may end in
 * another: a read ends when its response has come; messages posted after it may have been sent, or
 * refused, long before.
 */
final class RdmapSendQueue {
  private final RdmapHandler handler;
  private final EntryRing<SendRequest> requests;
  private long firstSequence;

  RdmapSendQueue(int depth, QueueMemory memory, RdmapHandler handler) {
    this.handler = handler;
    requests = new EntryRing<>(depth, SendRequest::new, SendRequest.OCTETS, memory);
  }

  /** Touches the cache lines that the next request needs: {@link RdmapStream#prefetch}. */
  int prefetch() {
    return requests.prefetch() + (int) firstSequence;
  }

  boolean isFull() {
    return requests.isFull();
  }

  /**
   * Appends a request.
   *
   * @param octets octets to report if it succeeds
   * @return its sequence number, by which the layers below know it
   */
  long add(StreamRequest request, int kind, long octets) {
    requests.add().post(request, kind, octets);
    return firstSequence + requests.size() - 1;
  }

  /** Whether a request must wait for the reads and atomics before it. */
  boolean isFenced(long sequence) {
    return requests.get((int) (sequence - firstSequence)).fenced();
  }

  /** Whether a sequence number belongs to a request whose token matches. */
  boolean has(long sequence, LongPredicate tokens) {
    long index = sequence - firstSequence;
    return index >= 0 && index < requests.size() && tokens.test(requests.get((int) index).token());
  }

  /** Ends a request; completes it, if it is the first, and those after it that have ended. */
  void end(long sequence, int status) {
    requests.get((int) (sequence - firstSequence)).end(status);
    while (!requests.isEmpty() && requests.first().ended()) { // RDMAP-5.5-02
      SendRequest request = requests.removeFirst();
      firstSequence++;
      handler.onCompletion(request.token(), request.kind(), request.status(), request.octets());
    }
  }
}
