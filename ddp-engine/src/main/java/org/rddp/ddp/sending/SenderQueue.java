package org.rddp.ddp.sending;

import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

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

  /**
   * Transfers the queue; when read, it is empty before.
   *
   * @param senders of all streams; one that is none of them sends no more and is left out
   */
  void transfer(Snapshot snapshot, References<DdpSender> senders) {
    snapshot.begin(SenderQueue.class);
    DdpSender each = nextOf(first, senders);
    while (snapshot.flag("more", each != null)) {
      DdpSender sender = senders.require(snapshot, "first", each);
      if (snapshot.reads()) {
        if (!sender.schedule()) {
          throw snapshot.wrong("a stream waits to send twice");
        }
        add(sender);
      } else {
        each = nextOf(each.next, senders);
      }
    }
    snapshot.end();
  }

  /** The first stream from one on that is in the list; null if there is none. */
  private static DdpSender nextOf(DdpSender from, References<DdpSender> senders) {
    DdpSender found = from;
    while (found != null && !senders.contain(found)) {
      found = found.next;
    }
    return found;
  }

  /** Removes the first stream; the queue must not be empty. */
  DdpSender removeFirst() {
    DdpSender sender = first;
    first = sender.next;
    sender.next = null;
    return sender;
  }
}
