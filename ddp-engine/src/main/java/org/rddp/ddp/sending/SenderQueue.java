package org.rddp.ddp.sending;

/** Streams that wait to send, in the order in which they were added. */
final class SenderQueue {
  private DdpSender first;
  private DdpSender last;

  boolean isEmpty() {
    return first == null;
  }

  /** Puts a stream at the end; it must not be in any queue. */
  void add(DdpSender sender) {
    sender.next = null;
    if (first == null) {
      first = sender;
    } else {
      last.next = sender;
    }
    last = sender;
  }

  /** The first stream; the queue must not be empty. */
  DdpSender first() {
    return first;
  }

  /** Removes the first stream; the queue must not be empty. */
  DdpSender removeFirst() {
    DdpSender sender = first;
    first = sender.next;
    sender.next = null;
    return sender;
  }
}
