package org.rddp.ddp.sending;

import java.util.function.Function;
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
   * Transfers the queue; when read, each stream goes into one of the scheduler that it has now.
   *
   * @param senders of all streams; one that is none of them sends no more and is left out
   * @param queues this queue's place in a scheduler
   */
  void transfer(
      Snapshot snapshot,
      References<DdpSender> senders,
      Function<SendScheduler, SenderQueue> queues) {
    snapshot.begin(SenderQueue.class);
    DdpSender each = nextOf(first, senders);
    while (snapshot.flag("more", each != null)) {
      DdpSender sender = senders.require(snapshot, "first", each);
      if (snapshot.reads()) {
        if (!sender.schedule()) {
          throw snapshot.wrong("a stream waits to send twice");
        }
        queues.apply(sender.scheduler()).add(sender);
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
