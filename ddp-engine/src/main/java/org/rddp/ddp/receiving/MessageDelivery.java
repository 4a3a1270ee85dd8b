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
    // DDP-5.2-13; DDP-4.2-03: "DDP MUST provide the RsvdULP field to the ULP"; DDP-4.2-06: "MUST
    // provide the STag field when the ULP Message is delivered"
    user.onTaggedMessage(rsvdUlp, stag, to, octets);
  }

  /**
   * Delivers all complete messages at the head of a queue, after a last segment has been placed.
   */
  void untagged(int qn, UntaggedQueue queue) {
    // DDP-5.4-02; DDP-1.2-01: "the partially filled receive ULP Buffer is delivered to the ULP
    // anyway"; DDP-5.3-06: "in the order they were sent by the Data Source"
    while (queue.deliverable()) {
      int msn = queue.firstMsn();
      ReceiveBuffer buffer = queue.removeFirst();
      counters.untaggedMessagesDelivered++;
      delivered = buffer;
      deliveredQn = qn;
      deliveredMsn = msn;
      // DDP-4.3-03: "DDP MUST provide RsvdULP field to the ULP"; DDP-5.4-03: "DDP MUST provide the
      // ULP Message Length to the ULP"
      user.onUntaggedMessage(
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
