package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.SegmentHeader;

/**
 * Hands messages to the user: each at most once, in the order in which they were sent, and only
 * when all of their segments and all earlier messages have been placed (RFC 5041 sections 5.3 and
 * 5.4).
 *
 * <p>Segments are noted in the order in which they were sent, those placed early in their turn, so
 * the last segment of a message completes it. Only a peer that mixes the messages of one queue
 * makes a complete message wait: for the one before it.
 */
final class MessageDelivery {
  private final ReceiveHandler user;
  private final ReceiveCounters counters;

  /** What is being Delivered from a queue of buffers. */
  private ReceiveBuffer delivered;

  private int deliveredQn;
  private int deliveredMsn;

  MessageDelivery(ReceiveHandler user, ReceiveCounters counters) {
    this.user = user;
    this.counters = counters;
  }

  /** The last segment of a Tagged Message has been placed. */
  void tagged(int rsvdUlp, int stag, long to, int octets) {
    counters.taggedMessagesDelivered++;
    user.onTaggedMessage(rsvdUlp, stag, to, octets);
  }

  /** The last segment of some message of a queue has been placed. */
  void untagged(int qn, UntaggedQueue queue) {
    while (queue.deliverable()) {
      int msn = queue.firstMsn();
      ReceiveBuffer buffer = queue.removeFirst();
      counters.untaggedMessagesDelivered++;
      delivered = buffer;
      deliveredQn = qn;
      deliveredMsn = msn;
      user.onUntaggedMessage(
          qn,
          msn,
          buffer.id(),
          buffer.head(),
          buffer.rsvdUlp(),
          buffer.rsvdUlpRest(),
          buffer.messageLength());
    }
  }

  /** The last segment of the Untagged Message that is being Delivered. */
  DdpErrorReport report() {
    SegmentHeader last = new SegmentHeader();
    delivered.lastSegment(deliveredQn, deliveredMsn, last);
    return DdpErrorReport.of(last);
  }
}
