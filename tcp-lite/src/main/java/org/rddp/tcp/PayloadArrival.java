package org.rddp.tcp;

import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * What the payload and the FIN of an acceptable segment do: which octets are new, and the upcalls
 * that hand them up at once, in their turn or before it (RFC 9293 section 3.10.7.4, seventh and
 * eighth check; RFC 5044 appendix A.3).
 *
 * <p>Of octets that come twice the first are handed up and the others are not: a segment that
 * overlaps what is here is handed up in the pieces that are not. An octet that has been handed up,
 * or noted as received, is never given up again.
 */
final class PayloadArrival {
  private final TcpCounters counters;

  PayloadArrival(TcpCounters counters) {
    this.counters = counters;
  }

  void process(TcpConnection connection, TcpSegment segment, long position) {
    Receiver receiver = connection.receiver;
    if (segment.has(Tcp.FIN)) {
      receiver.fin(position + segment.length);
    }
    if (segment.length == 0) {
      receiver.requestAcknowledgment();
      return;
    }
    if (connection.ecn) {
      receiver.congestion(segment.has(Tcp.CWR), segment.ecn == Ipv4.CE);
    }
    long next = receiver.next();
    long from = Math.max(position, next);
    long to = Math.min(position + segment.length, receiver.limit());
    receiver.scheduleAcknowledgment(from == position && from == next && from < to);
    findRepeated(connection, position, Math.max(to, next));
    if (from > next && from < to) {
      handUpEarly(connection, segment, position, to);
      if (connection.state() != TcpState.CLOSED) {
        connection.acknowledgeNow();
      }
    } else if (from < to) {
      handUp(connection, segment, position, to);
    }
  }

  /** Takes note of octets that have come before, all of them before the left edge or early. */
  void repeated(TcpConnection connection, long from, long to) {
    counters.duplicates++;
    Receiver receiver = connection.receiver;
    if (connection.sack && from < to) {
      if (receiver.duplicateOctets() > 0) {
        // One acknowledgment tells of one segment (RFC 2883 section 4).
        connection.acknowledgeNow();
      }
      receiver.duplicate(from, to);
      receiver.requestAcknowledgment();
    }
  }

  /** Finds the first octets of a segment that have come before (RFC 2883 section 4.2). */
  private void findRepeated(TcpConnection connection, long position, long to) {
    long next = connection.receiver.next();
    EarlyRanges early = connection.receiver.early();
    if (position < next) {
      repeated(connection, position, Math.min(to, next));
    } else if (early != null) {
      int index = early.indexAfter(position);
      if (index < early.count() && early.start(index) < to) {
        early.touch(index);
        long from = Math.max(position, early.start(index));
        repeated(connection, from, Math.min(to, early.end(index)));
      }
    }
  }

  /** Hands up octets in their turn, and tells where the left edge goes when that closes a gap. */
  private void handUp(TcpConnection connection, TcpSegment segment, long position, long to) {
    Receiver receiver = connection.receiver;
    while (receiver.next() < to && connection.state().receiving()) {
      long from = receiver.next();
      long end = receiver.early() == null ? to : Math.min(to, receiver.early().start(0));
      receiver.advance(end);
      deliver(connection, segment, position, from, end);
      if (receiver.closeGap()) {
        receiver.requestAcknowledgment();
        connection.leftEdge(receiver.next());
      }
    }
  }

  /** Hands up what is new of octets before their turn, as long as there is room to keep them. */
  private void handUpEarly(TcpConnection connection, TcpSegment segment, long position, long to) {
    Receiver receiver = connection.receiver;
    boolean fresh = false;
    long at = position;
    while (at < to && connection.state().receiving()) {
      EarlyRanges early = receiver.early();
      int behind = early == null ? 0 : early.indexAfter(at);
      boolean last = early == null || behind == early.count();
      if (!last && early.start(behind) <= at) {
        at = early.end(behind);
        continue;
      }
      long end = last ? to : Math.min(to, early.start(behind));
      if (!receiver.keepEarly(at, end)) {
        counters.outOfOrderDropped++;
        return;
      }
      fresh = true;
      deliver(connection, segment, position, at, end);
      if (connection.pool().shared(segment.packet)) {
        counters.octetsKept += end - at;
      }
      at = end;
    }
    if (fresh) {
      counters.outOfOrder++;
    }
  }

  private void deliver(
      TcpConnection connection, TcpSegment segment, long position, long from, long to) {
    int length = (int) (to - from);
    counters.octetsIn += length;
    connection.deliver(from, segment.payload + (from - position), length, segment.packet);
  }
}
