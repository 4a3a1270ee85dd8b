package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.SegmentHeader;

/**
 * Delivers messages to the user: each at most once, in the order in which they were sent, and only
 * when all of its segments and all earlier messages have been placed (RFC 5041 sections 5.3 and
 * 5.4).
 *
 * <p>Segments take effect in the order in which they were sent, even if placed early, so a message
 * is complete with its last segment. A complete message must wait for the one before it only if the
 * peer interleaves messages of one queue.
 */
final class MessageDelivery {
  private final ReceiveHandler user;
  private final ReceiveCounters counters;

  /** The buffer being Delivered from a queue of posted buffers. */
  private ReceiveBuffer delivered;

  private int deliveredQn;
  private int deliveredMsn;

  MessageDelivery(ReceiveHandler user, ReceiveCounters counters) {
    this.user = user;
    this.counters = counters;
  }

  /** Delivers a Tagged Message, whose last segment has been placed. */
  void tagged(int rsvdUlp, int stag, long to, int octets) {
    counters.taggedMessagesDelivered++;
    user.onTaggedMessage(rsvdUlp, stag, to, octets); // DDP-4.2-03, DDP-4.2-06, DDP-5.2-13
  }

  /**
   * Delivers all complete messages at the head of a queue, after a last segment has been placed.
   */
  void untagged(int qn, UntaggedQueue queue) {
    while (queue.deliverable()) { // DDP-1.2-01, DDP-5.3-06, DDP-5.4-02
      int msn = queue.firstMsn();
      ReceiveBuffer buffer = queue.removeFirst();
      counters.untaggedMessagesDelivered++;
      delivered = buffer;
      deliveredQn = qn;
      deliveredMsn = msn;
      user.onUntaggedMessage( // DDP-4.3-03, DDP-5.4-03
          qn,
          msn,
          buffer.token(),
          buffer.head(),
          buffer.rsvdUlp(),
          buffer.rsvdUlpRest(),
          buffer.messageLength());
      queue.reportRefused(qn, user);
    }
  }

  /** The last segment of the Untagged Message being Delivered. */
  DdpErrorReport report() {
    SegmentHeader last = new SegmentHeader();
    delivered.lastSegment(deliveredQn, deliveredMsn, last);
    return DdpErrorReport.of(last);
  }
}
